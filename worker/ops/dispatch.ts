import { WireError } from '#core/errors.ts'
import { encodeRefusal, encodeReply, type Request } from '#core/wire/message.ts'
import type { ArgsOf, OperationName, ReplyOf } from '#core/wire/operations.ts'
import type { Answer } from '../answer.ts'
import { costOfAnswer } from '../rules/rate.ts'
import { getManifest, putManifest } from './account.ts'
import {
  ackChannel,
  answerChannel,
  askChannel,
  channelState,
  commit,
  enterChannel,
  expel,
  fetchChannel,
  openChannel,
  post,
  reentry,
  retoken,
  stash,
  statePiece,
  unstash,
} from './channel.ts'
import type { OpContext } from './context.ts'
import { claimInvitation, putInvitation, revokeInvitation } from './invitation.ts'
import { getLink, putLink } from './link.ts'
import { append, backLog, compact, fetchLog, getVault, openLog, putVault, watch } from './log.ts'
import { ackMailbox, attach, closeMailbox, fetchMailbox, makeDrop, openMailbox } from './mailbox.ts'
import { askedName, askName, findName, registerName, settleName } from './name.ts'
import { countPackages, putPackages, takePackages } from './packages.ts'
import { hello } from './session.ts'
import { transparencyAccount, transparencyGrowth, transparencyHead, transparencyLeaf } from './transparency.ts'

type Handlers = {
  readonly [O in OperationName]: (ctx: OpContext, args: ArgsOf<O>) => Promise<Answer<ReplyOf<O>>>
}

const handlers: Handlers = {
  'session.hello': hello,
  'mailbox.open': openMailbox,
  'mailbox.close': closeMailbox,
  'mailbox.attach': attach,
  'mailbox.fetch': fetchMailbox,
  'mailbox.ack': ackMailbox,
  'mailbox.drop': makeDrop,
  'account.put': putManifest,
  'account.get': getManifest,
  'packages.put': putPackages,
  'packages.count': countPackages,
  'packages.take': takePackages,
  'transparency.head': transparencyHead,
  'transparency.leaf': transparencyLeaf,
  'transparency.growth': transparencyGrowth,
  'transparency.account': transparencyAccount,
  'name.register': registerName,
  'name.find': findName,
  'name.ask': askName,
  'name.asked': askedName,
  'name.settle': settleName,
  'invitation.put': putInvitation,
  'invitation.claim': claimInvitation,
  'invitation.revoke': revokeInvitation,
  'channel.open': openChannel,
  'channel.post': post,
  'channel.commit': commit,
  'channel.stash': stash,
  'channel.unstash': unstash,
  'channel.enter': enterChannel,
  'channel.state': channelState,
  'channel.ask': askChannel,
  'channel.answer': answerChannel,
  'channel.piece': statePiece,
  'channel.reentry': reentry,
  'channel.expel': expel,
  'channel.fetch': fetchChannel,
  'channel.ack': ackChannel,
  'channel.retoken': retoken,
  'log.open': openLog,
  'log.append': append,
  'log.fetch': fetchLog,
  'log.back': backLog,
  'log.compact': compact,
  'log.watch': watch,
  'vault.get': getVault,
  'vault.put': putVault,
  'link.put': putLink,
  'link.get': getLink,
}

/**
 * Carries out one request of an open connection.
 * @param charge takes what the answer costs beside its bytes
 * @returns the encoded answer. What parses but holds something unparsable is refused; a fault of ours is 'relay/failed',
 *   and the same request may be sent again.
 */
export async function dispatch(
  ctx: OpContext,
  request: Request,
  charge: (cost: number) => void = () => {},
): Promise<Uint8Array> {
  try {
    // decodeRequest checked the arguments against the schema of this very operation.
    const handle = handlers[request.op] as (ctx: OpContext, args: unknown) => Promise<Answer<never>>
    const answer = await handle(ctx, request.args)
    charge(costOfAnswer(request.op, answer))
    return 'reply' in answer ? encodeReply(request.id, answer.reply) : encodeRefusal(request.id, answer.refusal)
  } catch (error) {
    const refusal =
      error instanceof WireError
        ? { code: error.code, retryable: false }
        : { code: 'relay/failed', retryable: true, waitMs: 1_000 }
    return encodeRefusal(request.id, refusal)
  }
}
