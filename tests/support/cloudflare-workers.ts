/** What the relay's objects need of the Workers runtime when they run in Node (vitest.config.ts aliases the import). */
export class DurableObject<E> {
  protected readonly ctx: DurableObjectState
  protected readonly env: E

  constructor(ctx: DurableObjectState, env: E) {
    this.ctx = ctx
    this.env = env
  }
}
