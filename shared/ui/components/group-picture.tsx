import { usePicture } from './use-picture.ts'

type Props = { readonly bytes: Uint8Array; readonly class: string }

/** A group's own picture. Its name stands beside it, so it says nothing to who can't see it. */
export function GroupPicture({ bytes, class: name }: Props) {
  const address = usePicture(bytes)
  return address === undefined ? <span class={name} /> : <img class={name} src={address} alt="" />
}
