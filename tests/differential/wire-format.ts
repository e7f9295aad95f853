/** RFC 9420 section 6: an MLSMessage is 2B version, 2B wire format, then what it holds; core-crypto has some of them bare. */
const FORMATS = { welcome: 3, 'group info': 4, 'key package': 5 } as const
type Kind = keyof typeof FORMATS

const headOf = (kind: Kind): Uint8Array => Uint8Array.of(0, 1, 0, FORMATS[kind])

function isWrapped(kind: Kind, bytes: Uint8Array): boolean {
  return headOf(kind).every((value, i) => bytes[i] === value)
}

/** A bare structure never begins so: a key package and a group context begin with 0x0001 and a suite, 0x0001 here. */
export function toWire(kind: Kind, bytes: Uint8Array): Uint8Array {
  return isWrapped(kind, bytes) ? bytes : Uint8Array.of(...headOf(kind), ...bytes)
}

export function fromWire(kind: Kind, bytes: Uint8Array): Uint8Array {
  return isWrapped(kind, bytes) ? bytes.slice(4) : bytes
}
