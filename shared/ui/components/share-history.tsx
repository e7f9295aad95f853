import { useEffect, useState } from 'preact/hooks'
import type { EarlierHistory, MemberView } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { Choice } from './choice.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly member: MemberView; readonly channelId: string; readonly onClose: () => void }
const DAY_MS = 86_400_000
const DAYS = { week: 7, month: 30, all: 0 } as const

/** One choice, off by default, and what it means said before it: it can't be taken back (C-11). */
export function ShareHistory({ member, channelId, onClose }: Props) {
  const { face, nowMs, read, strings, times } = useModel()
  const t = strings.value.history
  const [earlier, setEarlier] = useState<EarlierHistory>()
  const [problem, setProblem] = useState<unknown>()
  const [much, setMuch] = useState<keyof EarlierHistory>('week')
  useEffect(() => {
    face.earlierHistory(channelId, member.id).then(setEarlier, setProblem)
  }, [channelId, member.id])
  const name = isolate(member.name === '' ? strings.value.details.unknown : member.name)
  const share = async () => {
    if (earlier === undefined) return
    const fromMs = much === 'all' ? 0 : nowMs() - DAYS[much] * DAY_MS
    await face.shareHistory(channelId, member.id, fromMs)
    await read.work()
    onClose()
  }
  const say = (of: keyof EarlierHistory) => t[of](times.value.count(earlier?.[of] ?? 0))
  return (
    <ConfirmDialog title={t.title(name)} act={t.act} doing={t.doing} onAct={share} onClose={onClose}>
      {earlier === undefined ? (
        <p role="status">{problem === undefined && t.counting}</p>
      ) : (
        <Choice
          label={t.much}
          value={much}
          options={(['week', 'month', 'all'] as const).map((value) => ({ value, label: say(value) }))}
          onChoose={setMuch}
        />
      )}
      <ProblemLine problem={problem} />
      <div role="status">{earlier !== undefined && earlier[much] === 0 && <p class="hint">{t.nothing}</p>}</div>
      <p class="risk">{t.who(name)}</p>
      <p>{t.told}</p>
      <p class="hint">{t.what}</p>
    </ConfirmDialog>
  )
}
