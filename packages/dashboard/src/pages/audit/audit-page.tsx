import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { formatMoment } from '../../format/time.ts'
import { useAccount } from '../../layout/caller.ts'
import { OwnerName } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { ExportLinks } from '../../ui/export-links.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { TimesNote } from '../../ui/times-note.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditList } from './audit-list.tsx'
import { auditExportPath, readAuditFilters } from './audit-search.ts'

const pageSize = '50'
type Loaded = Answer<'listAudit'>

/** Who changed what, newest first. The filters are in the address. */
export function AuditPage() {
  const { role } = useAccount()
  const search = useSearch({ from: '/dashboard/audit' })
  const isOwner = role === 'owner'
  return (
    <Page
      {...pageHeads['/dashboard/audit']}
      actions={isOwner ? <ExportLinks pathOf={(format) => auditExportPath(search, format)} /> : undefined}
    >
      {isOwner ? (
        <>
          <AuditLog />
          <TimesNote />
        </>
      ) : (
        <Banner>
          Only the owner of the team can read the audit log. Ask <OwnerName />.
        </Banner>
      )}
    </Page>
  )
}

function AuditLog() {
  const search = useSearch({ from: '/dashboard/audit' })
  const filters = readAuditFilters(search)
  const query = useInfiniteQuery<Loaded, ApiError, Loaded[], readonly unknown[], string | undefined>({
    queryKey: ['listAudit', filters],
    queryFn: ({ pageParam: cursor, signal }) =>
      send('listAudit', { query: { ...filters, limit: pageSize, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages,
    placeholderData: keepPreviousData
  })
  return (
    <>
      <AuditFilters search={search} />
      <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
        <QueryView query={query} lines={8}>
          {(pages) => <Found pages={pages} isFiltered={Object.keys(filters).length > 0} />}
        </QueryView>
      </Card>
      <LoadMore query={query} text="Show older entries" />
    </>
  )
}

function Found({ pages, isFiltered }: { readonly pages: readonly Loaded[]; readonly isFiltered: boolean }) {
  const entries = pages.flatMap((page) => page.entries)
  if (entries.length > 0) return <AuditList entries={entries} />
  // A search in a large log goes on page by page, and a page may have found nothing.
  const searchedTo = pages.at(-1)?.searched_to ?? null
  if (searchedTo !== null) {
    return (
      <Empty icon={ScrollText} title="No matching entries so far">
        The log was searched back to {formatMoment(new Date(searchedTo))}. Show older entries to search on.
      </Empty>
    )
  }
  return isFiltered ? (
    <Empty icon={ScrollText} title="No matching entries">
      Change or clear a filter.
    </Empty>
  ) : (
    <Empty icon={ScrollText} title="No entries yet">
      Changes to keys, the team and the account will appear here.
    </Empty>
  )
}
