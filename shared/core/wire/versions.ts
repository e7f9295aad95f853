/** The version of the frame protocol. The first byte of everything stored or sent names the version of its own layout. */
export const PROTOCOL_VERSION = 1
export const ENVELOPE_VERSION = 0x01
