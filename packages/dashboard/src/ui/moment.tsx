import { Link } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { now } from '../api/clock.ts'
import { chosenZone, formatRelative, ownZoneName } from '../format/time.ts'
import { textLink } from './class-names.ts'

/** A time relative to now. `MomentTooltip` shows the exact time on hover and focus. */
export function Moment({ at }: { readonly at: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard
    <time data-moment dateTime={at} tabIndex={0} className="rounded whitespace-nowrap">
      {formatRelative(new Date(at), now())}
    </time>
  )
}

/** Says in which zone a page shows times, and where to change it. */
export function TimesNote() {
  return (
    <p className="text-sm text-ink-soft">
      Times are in {chosenZone() === 'utc' ? 'UTC' : `your time zone, ${ownZoneName()}`}.{' '}
      <Link to="/dashboard/account" hash="times" className={textLink}>
        Change time zone
      </Link>
    </p>
  )
}

/** Loaded with the first tooltip, so that the first page stays small. */
const ExactTime = lazy<ComponentType<{ readonly moment: HTMLTimeElement }>>(() =>
  import('./exact-time.tsx').then(
    ({ ExactTime: component }) => ({ default: component }),
    // The page stays usable without tooltips.
    () => ({ default: () => null })
  )
)

/** Shows the exact time of the `Moment` under the pointer or with the focus. */
export function MomentTooltip() {
  const [moment, setMoment] = useState<HTMLTimeElement | null>(null)
  useEffect(() => followMoments(setMoment), [])
  if (moment === null) return null
  return (
    <Suspense fallback={null}>
      <ExactTime moment={moment} />
    </Suspense>
  )
}

/** A pointer that only crosses a time opens nothing. */
const openDelayMs = 600
/** Enough to move the pointer from the time to its tooltip. */
const closeDelayMs = 200

/**
 * Watches which `Moment` is under the pointer or has the focus of the keyboard. One watcher serves all times of a page,
 * so that no time needs code of its own.
 *
 * @param show called with the time whose tooltip is to be shown; null to hide it
 * @returns stops watching
 */
function followMoments(show: (moment: HTMLTimeElement | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Scrolling to the focused time moves other elements under the pointer, which must not hide its tooltip. */
  let isByPointer = false
  const later = (moment: HTMLTimeElement | null, delayMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => show(moment), delayMs)
  }
  const now = (moment: HTMLTimeElement | null) => {
    clearTimeout(timer)
    show(moment)
  }
  const stop = new AbortController()
  const on = <Name extends keyof DocumentEventMap>(name: Name, react: (event: DocumentEventMap[Name]) => void) =>
    document.addEventListener(name, react, { signal: stop.signal })

  on('pointerover', ({ target, pointerType }) => {
    if (pointerType === 'touch') return
    const moment = momentAround(target)
    if (moment !== null) {
      isByPointer = true
      later(moment, openDelayMs)
    } else if (isInTooltip(target)) clearTimeout(timer)
    else if (isByPointer) later(null, closeDelayMs)
  })
  on('pointerdown', ({ target }) => {
    if (!isInTooltip(target)) now(null)
  })
  on('focusin', ({ target }) => {
    const moment = momentAround(target)
    if (moment?.matches(':focus-visible') !== true) return
    isByPointer = false
    now(moment)
  })
  on('focusout', ({ target }) => {
    if (momentAround(target) !== null) now(null)
  })
  on('keydown', ({ key }) => {
    if (key === 'Escape') now(null)
  })
  return () => {
    clearTimeout(timer)
    stop.abort()
  }
}

const momentAround = (target: EventTarget | null): HTMLTimeElement | null =>
  target instanceof Element ? target.closest<HTMLTimeElement>('time[data-moment]') : null

const isInTooltip = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-moment-tooltip]') !== null
