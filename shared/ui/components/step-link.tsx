import { ChevronRight } from 'lucide-preact'
import type { JSX } from 'preact'
import type { Route } from '../state/router.ts'
import { RouteLink } from './route-link.tsx'
import './step-link.css'

type Props = { readonly to: Route; readonly label: string; readonly hint?: string; readonly icon: JSX.Element }

/** A row that leads to a page of its own. */
export function StepLink({ to, label, hint, icon }: Props) {
  return (
    <RouteLink to={to} class="step-link">
      {icon}
      <span class="step-text">
        <span class="step-label">
          <bdi>{label}</bdi>
        </span>
        {hint !== undefined && hint !== '' && <span class="hint">{hint}</span>}
      </span>
      <ChevronRight size={16} class="turns" />
    </RouteLink>
  )
}
