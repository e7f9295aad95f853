/** Patch P5: what a Set compares public keys by, made once for each immutable node instead of base64 on every commit. */
const encryptionKeys = new WeakMap()
const signatureKeys = new WeakMap()

export function encryptionKeyOf(owner, bytes) {
  return known(encryptionKeys, owner, bytes)
}

export function signatureKeyOf(owner, bytes) {
  return known(signatureKeys, owner, bytes)
}

function known(memo, owner, bytes) {
  let key = memo.get(owner)
  if (key === undefined) {
    key = String.fromCharCode(...bytes)
    memo.set(owner, key)
  }
  return key
}
