import type { ReadonlySignal } from '@preact/signals'
import type { ReadPhrase } from '#core/keys/read-phrase.ts'
import type { Router } from './router.ts'

/** What differs between the web app, the popup and the side panel; everything else is the same app. */
export type Shell = {
  readonly kind: 'web' | 'popup' | 'panel'
  readonly router: Router
  readonly version: string
  /** From the popup to the side panel. */
  readonly openFullView?: () => void
  /** A new version waits (U-02: with consent). */
  readonly update?: { readonly available: ReadonlySignal<boolean>; readonly apply: () => void }
  /** The invitation link this face was opened with; its fragment is gone from the address bar already (C-12). */
  readonly invitationLink?: string
  /** What another app shared to Stave, once. */
  readonly takeSharedText?: () => Promise<string>
  /** May Stave tell when a message arrives? Absent where nobody has to be asked. */
  readonly notifications?: { state(): NotificationPermission; ask(): Promise<NotificationPermission> }
  /** The link of a device that wants to be linked, with which this face was opened; gone from the address bar too (K-06). */
  readonly deviceLink?: string
  /** The words that a phrase is made of, to complete what is typed. */
  readonly phraseWords?: () => Promise<readonly string[]>
  /** Reads what was typed from paper, forgivingly (K-03); loaded when somebody comes with words. */
  readonly phraseReader?: () => Promise<(text: string) => ReadPhrase>
  /** Can a passkey open anything in this browser (WebAuthn PRF)? Absent: it can't. */
  readonly passkeys?: () => Promise<boolean>
}
