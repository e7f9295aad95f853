import type { RequestArgs, RequestName, RequestReply } from '../requests.ts'

/** How a face reaches the engine, wherever it runs: asks until there is an engine that answers. */
export interface Bridge {
  /** @throws the engine's own error, by class and code */
  request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>>
}

/** The engine's side of a bridge. */
export type Serve = <R extends RequestName>(name: R, args: RequestArgs<R>) => Promise<RequestReply<R>>
export type { RequestArgs, RequestName, RequestReply } from '../requests.ts'
