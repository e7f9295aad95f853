/** Handles of keys that never leave WebCrypto (K-04), by name. */
export interface KeyHandles {
  load(name: string): Promise<CryptoKey | undefined>
  save(name: string, key: CryptoKey): Promise<void>
  remove(name: string): Promise<void>
  /** Names that are there. */
  names(): Promise<readonly string[]>
}
