import { useEffect, useState } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { now } from '../api/clock.ts'

/** Usage lags by up to five seconds, so more frequent requests would show nothing new. */
const refetchMs = 5_000
/** Reports may sum many rows, so they are fetched less often. */
const reportRefetchMs = 10_000

type Query = { readonly state: { readonly data: unknown; readonly error: ApiError | null } }

/** A query that never loaded is not retried on a timer. Otherwise its error would flicker every few seconds. */
const every =
  (intervalMs: number) =>
  ({ state }: Query): number | false =>
    state.data === undefined && state.error !== null ? false : intervalMs

/** Options for queries that change while requests run. They are refetched while the page is visible. */
export const live = { refetchInterval: every(refetchMs) }
export const liveReport = { refetchInterval: every(reportRefetchMs) }

const hourMs = 3_600_000
/** Checks often, because a one-hour timer would be late after the computer slept. */
const checkEveryMs = 10_000
const currentHour = () => Math.floor(now().getTime() / hourMs) * hourMs

/** The start of the current hour. Updates when the next hour begins. */
export function useCurrentHour(): Date {
  const [hour, setHour] = useState(currentHour)
  useEffect(() => {
    const timer = setInterval(() => setHour(currentHour()), checkEveryMs)
    return () => clearInterval(timer)
  }, [])
  return new Date(hour)
}
