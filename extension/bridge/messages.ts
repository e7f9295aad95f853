import type { RequestName } from '#app/ports/bridge.ts'

/** The one message between the extension's contexts: a face asks the engine in the background. */
export type Ask = { readonly type: 'stave/ask'; readonly name: RequestName; readonly args: unknown }

const NAMES: Readonly<Record<RequestName, true>> = {
  createIdentity: true,
  revealPhrase: true,
  confirmPhrase: true,
  createInvitation: true,
  revokeInvitation: true,
  acceptInvitation: true,
  createGroup: true,
  addMembers: true,
  removeMember: true,
  setRole: true,
  setProfile: true,
  leaveChannel: true,
  createSpace: true,
  addToSpace: true,
  removeFromSpace: true,
  heal: true,
  acceptRequest: true,
  declineRequest: true,
  repairChannel: true,
  setMuted: true,
  setArchived: true,
  setBlocked: true,
  wake: true,
  lookUp: true,
  restore: true,
  cancelWork: true,
  resumeWork: true,
  linking: true,
  showLink: true,
  joinLink: true,
  confirmLink: true,
  cancelLink: true,
  revokeDevice: true,
  addPassphraseDoor: true,
  passkeyHandle: true,
  addPasskeyDoor: true,
  removeDoor: true,
  setLock: true,
  removeLock: true,
  unlock: true,
  importBatch: true,
  markVerified: true,
  comparePersonCode: true,
  lookedAt: true,
  lookAtInvitation: true,
  approveJoin: true,
  declineJoin: true,
  dismissJoin: true,
  lookForJoins: true,
  findChannel: true,
  askToJoin: true,
  withdrawAsk: true,
  shareHistory: true,
  answerHistory: true,
}

/** A message claims; this says whether it is one of ours at all. */
export function readAsk(message: unknown): Ask | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { type, name, args } = message as { type?: unknown; name?: unknown; args?: unknown }
  if (type !== 'stave/ask' || typeof name !== 'string' || !Object.hasOwn(NAMES, name)) return undefined
  return { type, name: name as RequestName, args }
}

type Sender = { readonly id?: string; readonly url?: string; readonly origin?: string }

/** The browser proves: only pages of this extension are heard, whatever a message says of itself. */
export function isOwnPage(sender: Sender, extensionId: string, extensionOrigin: string): boolean {
  return sender.id === extensionId && sender.url?.startsWith(`${extensionOrigin}/`) === true
}
