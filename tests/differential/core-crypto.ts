/**
 * What is used of OpenMLS as @wireapp/core-crypto 10.3.0 has it, typed here: the types of this project must not depend on a
 * package that is installed for these tests alone.
 */
export interface CoreCryptoModule {
  initWasmModule(url: string): Promise<void>
  readonly CoreCrypto: { readonly new: (database: unknown) => Client }
  readonly Database: { inMemory(): Promise<unknown> }
  readonly Uuid: new (text: string) => unknown
  readonly DeviceId: new (id: bigint) => unknown
  readonly ClientId: new (user: unknown, device: unknown, domain: string) => ClientId
  readonly ConversationId: new (bytes: Uint8Array) => ConversationId
  readonly KeyPackage: new (bytes: Uint8Array) => Bytes
  readonly Welcome: new (bytes: Uint8Array) => Bytes
  readonly GroupInfo: new (bytes: Uint8Array) => Bytes
  readonly Credential: { basic(suite: number, id: ClientId): unknown }
}
export interface Bytes {
  serialize(): Uint8Array
}
export interface ClientId {
  copyBytes(): Uint8Array
}
export interface ConversationId {
  copyBytes(): Uint8Array
}
export type Bundle = {
  readonly welcome?: Bytes
  readonly commit: Uint8Array
  readonly groupInfo: { readonly payload: Uint8Array | Bytes }
}
export interface Transport {
  sendCommitBundle(bundle: Bundle): Promise<void>
  prepareForTransport(): Promise<Uint8Array>
}
export interface Client {
  transaction<T>(run: (context: Context) => Promise<T>): Promise<T>
}
export interface Context {
  mlsInit(id: ClientId, transport: Transport): Promise<void>
  addCredential(credential: unknown): Promise<unknown>
  generateKeyPackage(credential: unknown): Promise<Bytes>
  createConversation(id: ConversationId, credential: unknown): Promise<void>
  processWelcomeMessage(welcome: Bytes): Promise<ConversationId>
  joinByExternalCommit(groupInfo: Bytes, credential: unknown): Promise<unknown>
  addClientsToConversation(id: ConversationId, keyPackages: readonly Bytes[]): Promise<void>
  removeClientsFromConversation(id: ConversationId, clients: readonly ClientId[]): Promise<void>
  updateKeyingMaterial(id: ConversationId): Promise<void>
  encryptMessage(id: ConversationId, plaintext: Uint8Array): Promise<Uint8Array>
  decryptMessage(
    id: ConversationId,
    message: Uint8Array,
  ): Promise<{ readonly inner: { readonly plaintext?: Uint8Array } }>
  conversationEpoch(id: ConversationId): Promise<bigint>
  exportSecretKey(id: ConversationId, length: number): Promise<{ copyBytes(): Uint8Array }>
  getClientIds(id: ConversationId): Promise<readonly ClientId[]>
}
