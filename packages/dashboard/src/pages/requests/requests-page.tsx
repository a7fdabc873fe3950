import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import { type SyntheticEvent, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { nameOfKey } from '../../format/key.ts'
import { countOf } from '../../format/number.ts'
import { formatMoment } from '../../format/time.ts'
import { requestLogDays } from '../../request-log-days.ts'
import { Card } from '../../ui/card.tsx'
import { ExportLinks } from '../../ui/export-links.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { TimesNote } from '../../ui/times-note.tsx'
import { OpenRequest } from './open-request.tsx'
import { exportPath, isFiltered, readFilters } from './read-filters.ts'
import { RequestFilters } from './request-filters.tsx'
import { RequestsTable } from './requests-table.tsx'

const pageSize = 50
const refetchMs = 10_000
type Loaded = Answer<'listRequests'>

/**
 * Whether new requests are looked for: while only the first page is shown, and unless control had to search through so many requests
 * that it stopped before the page was full.
 */
const isLive = (pages: readonly Loaded[] = []): boolean =>
  pages.length === 1 && pages.every(({ requests, next_cursor: next }) => next === null || requests.length === pageSize)

/** Every request with its cost, newest first. The filters are in the address. */
export function RequestsPage() {
  const search = useSearch({ from: '/dashboard/requests' })
  const filters = readFilters(search)
  const [isRead, reading] = useReading()
  const query = useInfiniteQuery<Loaded, ApiError, Loaded[], readonly unknown[], string | undefined>({
    queryKey: ['listRequests', filters],
    queryFn: ({ pageParam: cursor, signal }) =>
      send('listRequests', { query: { ...filters, limit: String(pageSize), cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (!isRead && isLive(data?.pages) ? refetchMs : false)
  })
  return (
    <Page
      {...pageHeads['/dashboard/requests']}
      actions={<ExportLinks pathOf={(format) => exportPath(search, format)} />}
    >
      <RequestFilters search={search} />
      <OpenRequest />
      <div {...reading}>
        <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
          <QueryView query={query} lines={12}>
            {(pages) => <Found pages={pages} isFiltered={isFiltered(search)} />}
          </QueryView>
        </Card>
      </div>
      <LoadMore query={query} text="Show older requests" />
      <p className="text-sm text-ink-soft">
        New requests appear within seconds, unless you point at the list or read an older part of it. Requests are kept
        for {countOf(requestLogDays(), 'day')}.
      </p>
      <TimesNote />
    </Page>
  )
}

/** Whether the pointer or the focus is in an element: what is read must not move. And the handlers that the element needs. */
function useReading() {
  const [isRead, setRead] = useState(false)
  const look = ({ currentTarget }: SyntheticEvent) => setRead(currentTarget.matches(':hover, :focus-within'))
  return [isRead, { onPointerEnter: look, onPointerLeave: look, onFocus: look, onBlur: look }] as const
}

function Found({ pages, isFiltered }: { readonly pages: readonly Loaded[]; readonly isFiltered: boolean }) {
  const requests = pages.flatMap((page) => page.requests)
  const names = new Map(
    pages.flatMap(({ keys }) => keys).map((key) => [key.id, nameOfKey({ ...key, scope: 'inference' })])
  )
  // A search in a large log goes on page by page, and a page may have found nothing.
  const searchedTo = pages.at(-1)?.searched_to ?? null
  if (requests.length > 0) return <RequestsTable requests={requests} names={names} />
  if (searchedTo !== null) {
    return (
      <Empty icon={ListTree} title="No matching requests so far">
        The log was searched back to {formatMoment(new Date(searchedTo))}. Show older requests to search on.
      </Empty>
    )
  }
  return isFiltered ? (
    <Empty icon={ListTree} title="No matching requests">
      Change or clear a filter.
    </Empty>
  ) : (
    <Empty icon={ListTree} title="No requests yet">
      Requests with your keys will appear here.{' '}
      <Link to="/dashboard/playground" className={textLink}>
        Try a model in the playground
      </Link>
      .
    </Empty>
  )
}
