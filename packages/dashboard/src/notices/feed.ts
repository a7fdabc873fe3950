import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { EventsResponse } from '@tollgate/contracts/http/notices.ts'
import type { ApiError } from '../api/api-error.ts'
import { call, send } from '../api/call.ts'
import { queryClient } from '../api/queries.ts'
import { pageHeads } from '../ui/page-heads.ts'

/** A list of events that somebody can read: of their account, or of the operators. */
export interface NoticeFeed {
  /** The keys of all its cached answers start with this. */
  readonly key: QueryKey
  readonly read: (
    page: { readonly limit: string; readonly cursor?: string | undefined },
    signal: AbortSignal
  ) => Promise<EventsResponse>
  readonly isForOperators: boolean
  /** Marks an event and all earlier ones as read. */
  readonly markRead: (id: string) => Promise<unknown>
  /** The page with all events. */
  readonly page: '/dashboard/notices' | '/dashboard/operator/notices'
  readonly title: string
  readonly description: string
  /** What will appear in an empty list. */
  readonly whenEmpty: string
}

export const accountFeed: NoticeFeed = {
  key: ['listEvents'],
  read: (query, signal) => send('listEvents', { query }, signal),
  markRead: (id) => call('markEventsSeen', { body: { id } }),
  isForOperators: false,
  page: '/dashboard/notices',
  ...pageHeads['/dashboard/notices'],
  whenEmpty: 'Budgets that run out, keys that expire, failed payments and changes of keys and plans will appear here.'
}

/** Notices may come a minute late. Hidden pages do not ask, and ask at once when they are shown. */
const pollMs = 60_000
const latestCount = '8'

/** The newest events, and how many are unread. */
export const latestNotices = (feed: NoticeFeed) =>
  queryOptions<EventsResponse, ApiError>({
    queryKey: [...feed.key, 'latest'],
    queryFn: ({ signal }) => feed.read({ limit: latestCount }, signal),
    refetchInterval: pollMs
  })

const recentCount = '50'

/** Enough of the newest events to find what needs attention. */
export const recentNotices = (feed: NoticeFeed) =>
  queryOptions<EventsResponse, ApiError>({
    queryKey: [...feed.key, { query: { limit: recentCount } }],
    queryFn: ({ signal }) => feed.read({ limit: recentCount }, signal),
    refetchInterval: pollMs
  })

export const refreshNotices = (feed: NoticeFeed): Promise<void> => queryClient.invalidateQueries({ queryKey: feed.key })
