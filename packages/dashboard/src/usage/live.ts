import type { ApiError } from '../api/api-error.ts'

/** Reports of usage are at most five seconds behind; more often, nothing new would come. */
const refetchMs = 5_000
/** They may be sums of many rows. */
const reportRefetchMs = 10_000

type Query = { readonly state: { readonly data: unknown; readonly error: ApiError | null } }

/** What failed at first stays as it is until somebody asks for another try: the page would jump every few seconds. */
const every =
  (intervalMs: number) =>
  ({ state }: Query): number | false =>
    state.data === undefined && state.error !== null ? false : intervalMs

/** For queries of what changes while requests run: they are read again as long as somebody sees the page. */
export const live = { refetchInterval: every(refetchMs) }
export const liveReport = { refetchInterval: every(reportRefetchMs) }
