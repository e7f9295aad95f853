/** MLS (RFC 9420) as Stave uses it: docs/spec/mls.md. Everything outside this folder imports from here alone. */

export type { KeyRing } from '../crypto/key-handle.ts'
export { forgetPast, mergeStaged, pastUntilMs } from './advance.ts'
export type { ChannelKind, Role } from './channel-context.ts'
export type { CommitData, RoleChange } from './commit-data.ts'
export { exportGroupInfo, type GroupInfo, membersIn, type RejoinInput, rejoinGroup } from './external-join.ts'
export {
  confirmedTranscriptHash,
  createGroup,
  epochOf,
  exportSecret,
  type Group,
  type GroupInput,
  groupIdOf,
  handlesOf,
  isMemberOf,
  kindOf,
  type Member,
  members,
  ownLeafOf,
  ownMember,
  profileOf,
  rolesOf,
  type Successor,
  spaceOf,
  successorOf,
} from './group.ts'
export { type JoinInput, joinGroup } from './join-group.ts'
export {
  handlesOfSecret,
  type KeyPackageInput,
  MAX_LIFETIME_MS,
  type MadeKeyPackage,
  makeKeyPackage,
  type ReadKeyPackage,
  readKeyPackage,
} from './key-package.ts'
export { type Opened, openMessage } from './open-message.ts'
export { checkProfileChange, MAX_TITLE_UNITS, type Profile, type ProfileChange } from './profile.ts'
export { createSuccessor, joinSuccessor, type ReinitInput, type SuccessorInput, stageReinit } from './reinit.ts'
export { type SealedMessage, sealMessage } from './seal-message.ts'
export type { Signer } from './signer.ts'
export { MAX_SPACE_CHANNELS, type SpaceChange, type SpacePart, spaceListing } from './space.ts'
export { type CommitInput, discardStaged, type StagedCommit, stageCommit } from './stage-commit.ts'
export { decodeStaged, encodeStaged } from './staged.ts'
export { decodeGroup, encodeGroup, type GroupChange, type GroupPart, type GroupRow, type RowName } from './state.ts'
export { DEFAULT_SUITE, SUITE_CLASSICAL, SUITE_XWING, type SuiteId } from './suite.ts'
