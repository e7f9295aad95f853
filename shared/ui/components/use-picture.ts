import { useEffect, useRef, useState } from 'preact/hooks'

/** An address for a picture, given back when it is not shown any more. The same bytes read again are the same picture. */
export function usePicture(bytes: Uint8Array | undefined): string | undefined {
  const held = useRef<Uint8Array | undefined>(undefined)
  if (!isSame(held.current, bytes)) held.current = bytes
  const shown = held.current
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (shown === undefined || shown.length === 0) return setAddress(undefined)
    const made = URL.createObjectURL(new Blob([shown.slice()]))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [shown])
  return address
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && a.length === b?.length && a.every((byte, i) => byte === b[i]))
}
