import { useState } from 'preact/hooks'
import type { ChannelView, PersonView } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { HistoryOffers } from './history-offers.tsx'
import { later } from './later.tsx'
import { RouteLink } from './route-link.tsx'
import { useModel } from './use-model.ts'

const RepairChannel = later(async () => (await import('./repair-channel.tsx')).RepairChannel)

/** What is not as usual with this conversation, above its lines. */
export function ConversationNotices({ channel }: { readonly channel: ChannelView }) {
  const { strings, times } = useModel()
  const t = strings.value
  const [isRepairing, setRepairing] = useState(false)
  return (
    <>
      {channel.state === 'paused' && !channel.forked && channel.left === undefined && (
        <p class="notice is-warn">{t.conversation.broken}</p>
      )}
      {channel.forked && (
        <div class="notice is-warn">
          <p>{t.conversation.paused}</p>
          <button type="button" class="text-button" onClick={() => setRepairing(true)}>
            {t.health.repair}
          </button>
        </div>
      )}
      {channel.state === 'returning' && channel.left === undefined && <p class="notice">{t.conversation.returning}</p>}
      {channel.left !== undefined && <p class="notice">{t.left[channel.left]}</p>}
      {channel.kind === 'group' && <HistoryOffers channelId={channel.id} />}
      {channel.asking !== undefined && (
        <div class="notice" role="status" data-testid="asking">
          <p>{t.joins.waiting(times.value.count(channel.asking))}</p>
          <RouteLink to={{ at: 'details', channelId: channel.id }}>{t.joins.answer}</RouteLink>
        </div>
      )}
      <Stopped channelId={channel.id} />
      {channel.kind === 'direct' && <Namesake channelId={channel.id} />}
      {isRepairing && <RepairChannel channelId={channel.id} onClose={() => setRepairing(false)} />}
    </>
  )
}

/** K-11: somebody verified of whom the directory has shown something else; nothing goes out here until it was looked at. */
function Stopped({ channelId }: { readonly channelId: string }) {
  const { strings, times } = useModel()
  const t = strings.value.people
  const stopped = usePeopleIn(channelId).filter((person) => person.stopped)
  if (stopped.length === 0) return null
  return (
    <div class="notice is-warn" role="status" data-testid="stopped">
      <p>{t.stoppedHere(times.value.list(stopped.map(({ name }) => isolate(name))))}</p>
      {stopped.map((person) => (
        <RouteLink key={person.id} to={{ at: 'person', personId: person.id }}>
          {t.look(isolate(person.name))}
        </RouteLink>
      ))}
    </div>
  )
}

/** I-02: the same name is not the same person; said where the two could be taken for one another. */
function Namesake({ channelId }: { readonly channelId: string }) {
  const t = useModel().strings.value.people
  const namesake = usePeopleIn(channelId).find((person) => person.sameName && !person.stopped)
  if (namesake === undefined) return null
  return (
    <div class="notice is-warn" role="status" data-testid="namesake">
      <p>{t.sameNameHere}</p>
      <RouteLink to={{ at: 'person', personId: namesake.id }}>{t.look(isolate(namesake.name))}</RouteLink>
    </div>
  )
}

function usePeopleIn(channelId: string): readonly PersonView[] {
  const { details, people } = useModel()
  const within = new Set(details.value?.id === channelId ? details.value.members.map(({ id }) => id) : [])
  return (people.value ?? []).filter((person) => within.has(person.id))
}
