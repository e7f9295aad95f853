/** One task at a time for each name, in the order they came. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(name) ?? Promise.resolve()).then(task)
    const tail = turn.catch(() => undefined)
    this.#tails.set(name, tail)
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    })
    return turn
  }

  /** Resolves when every task that was given so far is done. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }
}
