import { Archive, FileKey, HeartPulse, KeyRound, Lock, MonitorSmartphone, UsersRound } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { LockView } from '#app/face.ts'
import { inGroups } from '../state/in-groups.ts'
import type { Strings } from '../strings/en.ts'
import { Choice } from './choice.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { StepLink } from './step-link.tsx'
import { useModel } from './use-model.ts'
import './settings-pane.css'

export function SettingsPane() {
  const model = useModel()
  const t = model.strings.value.settings
  const settings = model.settings.value
  return (
    <section class="pane settings" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <Identity />
        <h2>{t.look}</h2>
        <Choice
          label={t.theme}
          value={settings.theme}
          options={options(t.themes)}
          onChoose={(theme) => model.saveSettings({ theme })}
        />
        <Choice
          label={t.density}
          value={settings.density}
          options={options(t.densities)}
          onChoose={(density) => model.saveSettings({ density })}
        />
        <Choice
          label={t.language}
          value={settings.language}
          options={options(t.languages)}
          onChoose={(language) => model.saveSettings({ language })}
        />
        <h2>{t.writing}</h2>
        <label class="switch">
          <input
            type="checkbox"
            checked={settings.enterSends}
            aria-describedby="enter-hint"
            onChange={(event) => model.saveSettings({ enterSends: event.currentTarget.checked })}
          />
          <span>{t.enterSends}</span>
          <span class="hint" id="enter-hint">
            {t.enterSendsHint}
          </span>
        </label>
        <Notifications />
        <h2>{t.privacy}</h2>
        <Choice
          label={t.cover}
          hint={t.coverLead}
          value={settings.cover}
          options={options(t.covers, t.coverHints)}
          onChoose={(cover) => model.saveSettings({ cover })}
        />
        <Persistence />
        <h2>{t.about}</h2>
        <p>{t.version(model.shell.version)}</p>
      </div>
    </section>
  )
}

function options<T extends string>(labels: Readonly<Record<T, string>>, hints?: Readonly<Record<T, string>>) {
  return (Object.keys(labels) as T[]).map((value) => ({
    value,
    label: labels[value],
    ...(hints === undefined ? {} : { hint: hints[value] }),
  }))
}

function Identity() {
  const { account, lock, strings } = useModel()
  const t = strings.value
  const now = account.value
  if (now?.state !== 'ready') return null
  return (
    <>
      <h2>{t.settings.you}</h2>
      <dl class="facts">
        <dt>{t.settings.name}</dt>
        <dd>
          <bdi>{now.name}</bdi>
        </dd>
        <dt>{t.settings.device}</dt>
        <dd>
          <bdi>{now.deviceName}</bdi>
        </dd>
        <dt>{t.settings.fingerprint}</dt>
        <dd class="exact">{inGroups(now.fingerprint, 5)}</dd>
      </dl>
      <h2>{t.settings.more}</h2>
      <ul class="steps">
        <li>
          <StepLink to={{ at: 'people' }} label={t.people.title} icon={<UsersRound size={20} />} />
        </li>
        <li>
          <StepLink to={{ at: 'devices' }} label={t.devices.title} icon={<MonitorSmartphone size={20} />} />
        </li>
        {now.holdsRoot && (
          <li>
            <StepLink
              to={{ at: 'backup' }}
              label={t.settings.backup}
              hint={now.backedUp ? t.backup.backedUp : t.backup.reminder}
              icon={<FileKey size={20} />}
            />
          </li>
        )}
        <li>
          <StepLink to={{ at: 'doors' }} label={t.doors.title} hint={t.doors.lead} icon={<KeyRound size={20} />} />
        </li>
        <li>
          <StepLink
            to={{ at: 'lock' }}
            label={t.lock.title}
            icon={<Lock size={20} />}
            {...(lock.value === undefined ? {} : { hint: sayLock(t.lock, lock.value) })}
          />
        </li>
        <li>
          <StepLink to={{ at: 'health' }} label={t.health.title} hint={t.health.lead} icon={<HeartPulse size={20} />} />
        </li>
        <li>
          <StepLink to={{ at: 'archive' }} label={t.archive.title} icon={<Archive size={20} />} />
        </li>
      </ul>
    </>
  )
}

function Notifications() {
  const { shell, strings, problem } = useModel()
  const t = strings.value.settings
  const [state, setState] = useState(shell.notifications?.state())
  if (shell.notifications === undefined || state === undefined) return null
  const { ask } = shell.notifications
  const report = (error: unknown) => {
    problem.value = error
  }
  return (
    <>
      <h2>{t.notifications}</h2>
      <p class="hint">{t.notificationsHint}</p>
      <div role="status">{state !== 'default' && <p>{t.notificationsAnswers[state]}</p>}</div>
      {state === 'default' && (
        <button type="button" class="button" onClick={() => ask().then(setState, report)}>
          {t.notificationsAsk}
        </button>
      )}
    </>
  )
}

function Persistence() {
  const { face, strings } = useModel()
  const t = strings.value.settings
  const [answer, setAnswer] = useState<'granted' | 'refused' | 'unsupported'>()
  const [problem, setProblem] = useState<unknown>()
  return (
    <>
      <h2>{t.data}</h2>
      <h3>{t.persistence}</h3>
      <p class="hint">{t.persistenceHint}</p>
      <div role="status">{answer !== undefined && <p>{t.persistenceAnswers[answer]}</p>}</div>
      <ProblemLine problem={problem} />
      {answer !== 'granted' && (
        <button type="button" class="button" onClick={() => face.askPersistence().then(setAnswer, setProblem)}>
          {t.persistenceAsk}
        </button>
      )}
    </>
  )
}

function sayLock(t: Strings['lock'], lock: LockView): string {
  return lock.state === 'off' || lock.by === undefined ? t.off : t.on[lock.by]
}
