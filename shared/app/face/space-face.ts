/** C-10: sets of channels with shared members, roles and invitations. A space is named by the id of its home, the conversation that all of it have. */
export interface SpaceFace {
  /** With people whom this account knows, or alone. @throws InputError 'group/title', 'group/unknown', 'group/too-many', 'group/unreachable' */
  createSpace(input: {
    readonly title: string
    readonly members: readonly string[]
  }): Promise<{ readonly channelId: string; readonly missing: readonly string[] }>
  /** Another channel, with all of the space in it. @throws InputError 'group/title', 'group/not-allowed', 'space/full' */
  addToSpace(spaceId: string, input: { readonly title: string }): Promise<{ readonly channelId: string }>
  /** It stays, as a group of its own. @throws InputError 'group/not-allowed' */
  removeFromSpace(channelId: string): Promise<void>
}

/** Which space a channel is of. Its home is of it too: there it is the channel's own id. */
export type SpacePlace = { readonly id: string }
export type SpaceOfDetails = SpacePlace & {
  readonly title: string
  readonly mayChange: boolean // of the home: add channels; of a channel: take it out
}
