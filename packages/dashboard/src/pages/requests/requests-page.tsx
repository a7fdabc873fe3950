import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { formatMoment } from '../../format/time.ts'
import { nameOfKey } from '../../format/visible-text.ts'
import { useAccount } from '../../layout/owner.tsx'
import { requestLogDays } from '../../page-facts.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { ExportLinks } from '../../ui/export-links.tsx'
import { TimesNote } from '../../ui/moment.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, LoadMore, QueryView } from '../../ui/states.tsx'
import { KeyChoice } from '../../usage/key-choice.tsx'
import { exportPath, isFiltered, readFilters } from './read-filters.ts'
import { type FilterChoices, RequestFilters } from './request-filters.tsx'
import { type LogPage, OpenRequest, type RequestLog } from './request-log.tsx'
import type { RequestsSearch } from './requests-search.ts'
import { RequestsTable } from './requests-table.tsx'

const path = '/dashboard/requests'

const ownLog: RequestLog = {
  key: ['listRequests'],
  receipts: path,
  hasProviders: false,
  list: (query, signal) => send('listRequests', { query: { ...query } }, signal),
  exportPath
}

/** Every request of the account with its cost. The filters are in the address. */
export function RequestsPage() {
  const search = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  return (
    <RequestsView
      log={ownLog}
      {...pageHeads[path]}
      search={search}
      onSearch={(changed) => void navigate({ search: changed, replace: true })}
      choices={useOwnChoices()}
      whenEmpty={
        <>
          Requests with your keys will appear here.{' '}
          <Link to="/dashboard/playground" className={textLink}>
            Try a model in the playground
          </Link>
          .
        </>
      }
    />
  )
}

function useOwnChoices(): FilterChoices {
  const { models } = useAccount()
  const team = useQuery(read('getTeam'))
  return {
    keys: (choice) => <KeyChoice {...choice} />,
    members: team.data?.team.members,
    models: models.map(({ id }) => id)
  }
}

const pageSize = 50
const refetchMs = 10_000

/**
 * Whether new requests are looked for: while only the first page is shown, and unless control had to search through so
 * many requests that it stopped before the page was full.
 */
const isLive = (pages: readonly LogPage[] = []): boolean =>
  pages.length === 1 && pages.every(({ requests, next_cursor: next }) => next === null || requests.length === pageSize)

interface RequestsViewProps {
  readonly log: RequestLog
  readonly title: string
  readonly description: ReactNode
  /** The filters, as in the address. */
  readonly search: RequestsSearch
  readonly onSearch: (search: RequestsSearch) => void
  readonly choices: FilterChoices
  /** Says what will appear in a log without requests. */
  readonly whenEmpty: ReactNode
}

/** A page with a request log, newest requests first. */
export function RequestsView({ log, title, description, search, onSearch, choices, whenEmpty }: RequestsViewProps) {
  const filters = readFilters(search)
  const [isRead, reading] = useReading()
  const query = useInfiniteQuery<LogPage, ApiError, LogPage[], readonly unknown[], string | undefined>({
    queryKey: [...log.key, filters],
    queryFn: ({ pageParam: cursor, signal }) => log.list({ ...filters, limit: String(pageSize), cursor }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (!isRead && isLive(data?.pages) ? refetchMs : false)
  })
  return (
    <Page
      title={title}
      description={description}
      actions={<ExportLinks pathOf={(format) => log.exportPath(search, format)} check={log.checkExport} />}
    >
      <RequestFilters search={search} onSearch={onSearch} choices={choices} />
      <OpenRequest receipts={log.receipts} />
      <div {...reading}>
        <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
          <QueryView query={query} lines={12}>
            {(pages) => (
              <Found
                log={log}
                pages={pages}
                whenEmpty={isFiltered(search) ? <NoMatches /> : <None>{whenEmpty}</None>}
              />
            )}
          </QueryView>
        </Card>
      </div>
      <LoadMore query={query} text="Show older requests" />
      <p className="text-sm text-ink-soft">New requests wait while you point at the list or read an older part.</p>
      <p className="text-sm text-ink-soft">Requests are kept for {countOf(requestLogDays(), 'day')}.</p>
      <TimesNote />
    </Page>
  )
}

/**
 * Whether the pointer or the focus is in an element: what is read must not move. And the handlers that the element
 * needs.
 */
function useReading() {
  const [isRead, setRead] = useState(false)
  const look = ({ currentTarget }: SyntheticEvent) => setRead(currentTarget.matches(':hover, :focus-within'))
  return [isRead, { onPointerEnter: look, onPointerLeave: look, onFocus: look, onBlur: look }] as const
}

interface FoundProps {
  readonly log: RequestLog
  readonly pages: readonly LogPage[]
  readonly whenEmpty: ReactNode
}

function Found({ log, pages, whenEmpty }: FoundProps) {
  const requests = pages.flatMap((page) => page.requests)
  const names = new Map(
    pages.flatMap(({ keys }) => keys).map((key) => [key.id, nameOfKey({ ...key, scope: 'inference' })])
  )
  // A search in a large log goes on page by page, and a page may have found nothing.
  const searchedTo = pages.at(-1)?.searched_to ?? null
  if (requests.length > 0) {
    return <RequestsTable requests={requests} names={names} receipts={log.receipts} hasProviders={log.hasProviders} />
  }
  return searchedTo === null ? (
    whenEmpty
  ) : (
    <Empty icon={ListTree} title="No matching requests so far">
      The log was searched back to {formatMoment(new Date(searchedTo))}. Show older requests to search on.
    </Empty>
  )
}

const NoMatches = () => (
  <Empty icon={ListTree} title="No matching requests">
    Change or clear a filter.
  </Empty>
)

const None = ({ children }: { readonly children: ReactNode }) => (
  <Empty icon={ListTree} title="No requests yet">
    {children}
  </Empty>
)
