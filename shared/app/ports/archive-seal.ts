/** Seals and opens an archive as it streams, in a format that others open too (L-03). */
export interface ArchiveSeal {
  seal(passphrase: string, plain: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>
  /**
   * The stream fails with WireError 'archive/damaged' where the file is not what was sealed.
   * @throws InputError 'archive/wrong', WireError 'archive/not-one'
   */
  open(passphrase: string, file: Blob): Promise<ReadableStream<Uint8Array>>
}
