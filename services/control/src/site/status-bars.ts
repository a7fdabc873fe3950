import type { ServiceState } from '@tollgate/contracts/http/status.ts'
import { badge } from './class-names.ts'
import { countOf, formatDay } from './format.ts'
import { type Html, html } from './html.ts'

export const stateWords: Readonly<Record<ServiceState, string>> = {
  good: 'Good',
  degraded: 'Degraded',
  down: 'Down',
  unknown: 'Not measured'
}

/** Classes of badges. */
export const stateLooks: Readonly<Record<ServiceState, string>> = {
  good: 'bg-accent-soft text-accent-strong',
  degraded: 'bg-warning-soft text-warning',
  down: 'bg-danger-soft text-danger',
  unknown: 'bg-sunken text-ink-soft'
}

const strokes: Readonly<Record<ServiceState, string>> = {
  good: 'stroke-accent',
  degraded: 'stroke-warning',
  down: 'stroke-danger',
  unknown: 'stroke-line'
}

export const stateBadge = (state: ServiceState): Html =>
  html`<span class="${badge} ${stateLooks[state]}">${stateWords[state]}</span>`

/** As much as is sure: 99.96 % is not 100 %. */
export const percent = (share: number): string => `${Math.floor(share * 1e4) / 100}\u00a0%`

export function writeTime(time: Date): Html {
  const at = time.toISOString()
  return html`<time datetime="${at}">${formatDay(time)}, ${at.slice(11, 16)} UTC</time>`
}

/** The last 24 hours, the running one at the right. */
export const hourBar = (hours: readonly ServiceState[]): Html => stateBar(hours, 'hour', 'h-5 w-42')

/** Days, the present one at the right. A small screen has room for the last third. */
export const dayBar = (days: readonly ServiceState[], height: string): Html =>
  html`<div class="overflow-hidden">${stateBar(days, 'day', `${height} w-full max-sm:-ml-[200%] max-sm:w-[300%]`)}</div>`

/**
 * A bar for each state. Neighbours of one state are one line of dashes: a page has dozens of these pictures.
 *
 * @param unit what each bar is, for screen readers
 */
function stateBar(states: readonly ServiceState[], unit: 'hour' | 'day', size: string): Html {
  const shown = (['good', 'degraded', 'down', 'unknown'] as const).filter((state) => states.includes(state))
  const count = (state: ServiceState) => states.filter((one) => one === state).length
  const label = shown.map((state) => `${countOf(count(state), unit)} ${stateWords[state].toLowerCase()}`).join(', ')
  return html`<svg role="img" aria-label="${label}" viewBox="0 -.5 ${states.length} 1" preserveAspectRatio="none" class="state-bar ${size}">${shown.map((state) => html`<path class="${strokes[state]}" d="${linesOf(states, state)}"/>`)}</svg>`
}

/** A path with a line for each run of a state. Its dashes begin anew with each line. */
function linesOf(states: readonly ServiceState[], state: ServiceState): string {
  let path = ''
  for (let from = states.indexOf(state); from >= 0; ) {
    const other = states.findIndex((one, index) => index > from && one !== state)
    const end = other < 0 ? states.length : other
    path += `M${from} 0h${end - from}`
    from = states.indexOf(state, end)
  }
  return path
}
