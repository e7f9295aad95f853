import { toUtf8 } from '../bytes/utf8.ts'

/** The bytes of a domain label, `stave/1/<purpose>`. */
export type Label = Uint8Array & { readonly __label: true }

/* @__NO_SIDE_EFFECTS__ */
function label(purpose: string): Label {
  return toUtf8(`stave/1/${purpose}`) as Label
}

// These two have names of their own, so that a bundle that needs no other, as the MLS engine's, leaves the others out.
export const certificateLabel = label('certificate')
export const manifestLabel = label('manifest')

/**
 * Every domain label of Stave. A label stands before what is hashed or signed, or is HKDF's info, or starts the
 * additional data; no label is the beginning of another one (a test holds that), so what follows it can't be taken for
 * a part of it.
 */
export const labels = {
  // From the phrase (K-01)
  accountRoot: label('account-root'),
  phraseDoor: label('phrase-door'),
  logAddress: label('log-address'),
  logOwner: label('log-owner'),
  // Account
  certificate: certificateLabel,
  manifest: manifestLabel,
  fingerprint: label('fingerprint'),
  keyRing: label('key-ring'),
  vault: label('vault-record'),
  vaultDoor: label('vault-door'),
  vaultSeal: label('vault-seal'),
  passphraseDoor: label('passphrase-door'),
  passkeyDoor: label('passkey-door'),
  accountHpke: label('account-hpke'),
  // Log
  logPlace: label('log-place'),
  logToken: label('log-token'),
  logHead: label('log-head'),
  logEntry: label('log-entry'),
  notes: label('notes'),
  // Linking
  linkKey: label('link-key'),
  linkAddress: label('link-place'),
  linkSecret: label('link-secret'),
  linkTranscript: label('link-transcript'),
  linkProof: label('link-proof'),
  linkCommitment: label('link-commitment'),
  linkDigits: label('link-digits'),
  linkGrant: label('link-grant'),
  linkAsk: label('link-ask'),
  // Transport and relay
  noise: label('noise'),
  drop: label('drop'),
  seatToken: label('seat-token'),
  mailboxToken: label('mailbox-token'),
  invitationToken: label('invitation-token'),
  invitationBlob: label('invitation-blob'),
  invitationClaim: label('invitation-claim'),
  // Channels
  outer: label('envelope-outer'),
  channelHead: label('channel-head'),
  seatChanges: label('seat-changes'),
  introduction: label('introduction'),
  welcome: label('welcome'),
  checkpoint: label('checkpoint'),
  entryToken: label('entry-token'),
  rejoin: label('rejoin-key'),
  rejoinOuter: label('rejoin-outer'),
  channelState: label('channel-state'),
  stateBox: label('state-box'),
  packages: label('packages'),
  stash: label('stash'),
  joinRequest: label('join-request'),
  channelName: label('channel-name'),
  nameToken: label('name-token'),
  nameKeys: label('name-keys'),
  joinAsker: label('join-asker'),
  sharedHistory: label('shared-history'),
  transparencyLeaf: label('transparency-leaf'),
  transparencyHead: label('transparency-head'),
  // On the device
  row: label('row'),
  tableKey: label('table-key'),
  lockSecret: label('lock-secret'),
  archiveOwner: label('archive-owner'),
  archiveChannel: label('archive-channel'),
} as const satisfies Readonly<Record<string, Label>>
