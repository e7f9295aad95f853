import { Field } from './field.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly value: string; readonly onInput: (value: string) => void }

/** The web app belongs to the relay that served it; an extension may have to be told which one is meant. */
export function RealmField({ value, onInput }: Props) {
  const { shell, strings } = useModel()
  const t = strings.value.restore
  if (shell.kind === 'web') return null
  return <Field label={t.realm} hint={t.realmHint} value={value} onInput={onInput} isExact />
}

/** Nothing typed means the usual relay. */
export function typedRealm(realm: string): { readonly realm?: string } {
  return realm.trim() === '' ? {} : { realm: realm.trim() }
}
