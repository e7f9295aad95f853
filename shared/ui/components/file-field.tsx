import { useId } from 'preact/hooks'

type Props = { readonly label: string; readonly accept?: string; readonly onFile: (file: File) => void }

/** The browser's own chooser of files. */
export function FileField({ label, accept, onFile }: Props) {
  const id = useId()
  return (
    <div class="field">
      <span class="field-label">
        <label htmlFor={id}>{label}</label>
      </span>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file !== undefined) onFile(file)
        }}
      />
    </div>
  )
}
