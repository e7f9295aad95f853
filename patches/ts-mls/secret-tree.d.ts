import type { Decoder } from './codec/tlsDecoder.js'
import type { BufferEncoder } from './codec/tlsEncoder.js'
import type { ContentTypeName } from './contentType.js'
import type { CiphersuiteImpl } from './crypto/ciphersuite.js'
import type { Kdf } from './crypto/kdf.js'
import type { KeyRetentionConfig } from './keyRetentionConfig.js'
import type { ReuseGuard, SenderData } from './sender.js'

export interface GenerationSecret {
  secret: Uint8Array
  generation: number
  unusedGenerations: Record<number, Uint8Array>
}
export declare const generationSecretEncoder: BufferEncoder<GenerationSecret>
export declare const decodeGenerationSecret: Decoder<GenerationSecret>
export interface SecretTreeNode {
  handshake: GenerationSecret
  application: GenerationSecret
}
export declare const secretTreeNodeEncoder: BufferEncoder<SecretTreeNode>
export declare const decodeSecretTreeNode: Decoder<SecretTreeNode>
export interface SecretTree {
  width: number
  inner: Record<number, Uint8Array>
  leaves: Record<number, SecretTreeNode>
}
export declare const secretTreeEncoder: BufferEncoder<SecretTree>
export declare const decodeSecretTree: Decoder<SecretTree>
export declare function allSecretTreeValues(tree: SecretTree): Uint8Array[]
export interface ConsumeRatchetResult {
  nonce: Uint8Array
  reuseGuard: ReuseGuard
  key: Uint8Array
  generation: number
  newTree: SecretTree
  consumed: Uint8Array[]
}
export declare function createSecretTree(width: number, encryptionSecret: Uint8Array, kdf: Kdf): Promise<SecretTree>
export declare function ratchetToGeneration(
  tree: SecretTree,
  senderData: SenderData,
  contentType: ContentTypeName,
  config: KeyRetentionConfig,
  cs: CiphersuiteImpl,
): Promise<ConsumeRatchetResult>
export declare function consumeRatchet(
  tree: SecretTree,
  index: number,
  contentType: ContentTypeName,
  cs: CiphersuiteImpl,
): Promise<ConsumeRatchetResult>
