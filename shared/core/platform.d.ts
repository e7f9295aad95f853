/** The few Web globals that core may use: all exist in browsers, their workers, Node 20 and workerd. */
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(input?: Uint8Array): string
}

interface CryptoKey {
  readonly type: string
  readonly extractable: boolean
}
interface CryptoKeyPair {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}
type WebCryptoAlgorithm = string | { readonly name: string; readonly [parameter: string]: unknown }
interface SubtleCrypto {
  encrypt(algorithm: WebCryptoAlgorithm, key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
  decrypt(algorithm: WebCryptoAlgorithm, key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
  sign(algorithm: WebCryptoAlgorithm, key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
  verify(
    algorithm: WebCryptoAlgorithm,
    key: CryptoKey,
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>
  digest(algorithm: WebCryptoAlgorithm, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
  generateKey(
    algorithm: WebCryptoAlgorithm,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey | CryptoKeyPair>
  importKey(
    format: 'raw' | 'pkcs8' | 'jwk',
    data: Uint8Array<ArrayBuffer> | object,
    algorithm: WebCryptoAlgorithm,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>
  exportKey(format: 'raw' | 'jwk', key: CryptoKey): Promise<unknown>
  deriveBits(algorithm: WebCryptoAlgorithm, key: CryptoKey, length: number): Promise<ArrayBuffer>
}
declare const crypto: {
  readonly subtle: SubtleCrypto
  getRandomValues<T extends Uint8Array<ArrayBuffer>>(array: T): T
}
declare class URL {
  constructor(url: string)
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly origin: string
}

interface ByteWriter {
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
}
interface ByteReader {
  read(): Promise<
    { readonly done: true; readonly value?: undefined } | { readonly done: false; readonly value: Uint8Array }
  >
  cancel(): Promise<void>
}
/** Compression Streams standard; `deflate-raw` is in Node from 20.12 on. */
declare class CompressionStream {
  constructor(format: 'deflate-raw')
  readonly writable: { getWriter(): ByteWriter }
  readonly readable: { getReader(): ByteReader }
}
declare class DecompressionStream {
  constructor(format: 'deflate-raw')
  readonly writable: { getWriter(): ByteWriter }
  readonly readable: { getReader(): ByteReader }
}
