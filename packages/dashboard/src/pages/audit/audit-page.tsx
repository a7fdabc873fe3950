import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { formatMoment } from '../../format/time.ts'
import { isolate } from '../../format/visible-text.ts'
import { OwnerName, useAccount } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { ExportLinks } from '../../ui/export-links.tsx'
import { FilterInput, FilterPanel, RemovableFilters } from '../../ui/filter-panel.tsx'
import { TimesNote } from '../../ui/moment.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { LateSearchField } from '../../ui/search-field.tsx'
import { Choice } from '../../ui/select-box.tsx'
import { Empty, LoadMore, QueryView } from '../../ui/states.tsx'
import { AuditList } from './audit-list.tsx'
import { type AuditSearch, actionOptions, auditExportPath, readAuditFilters } from './audit-search.ts'

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

/** Filters, kept in the address. */
function AuditFilters({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate({ from: '/dashboard/audit' })
  const team = useQuery(read('getTeam'))
  const apply = (name: keyof AuditSearch, value: string) =>
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true })
  const people = (team.data?.team.members ?? []).map(({ id, email }) => [id, email] as const)
  return (
    <FilterPanel
      count={Object.keys(readAuditFilters(search)).length}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
      <RemovableFilters
        filters={search.subject === undefined ? [] : [['subject', `Only about ${isolate(search.subject)}`]]}
        onRemove={(name) => apply(name, '')}
      />
      <LateSearchField
        label="Search the audit log"
        placeholder="Name, e-mail address, IP address or id"
        text={search.q ?? ''}
        onChange={(text) => apply('q', text)}
      />
      <Choice
        label="Change"
        value={search.action ?? ''}
        options={actionOptions}
        onChange={(value) => apply('action', value)}
      />
      <Choice
        label="Who"
        value={search.actor ?? ''}
        options={[['', 'Everybody'], ...people, ['service', 'This service']]}
        onChange={(value) => apply('actor', value)}
      />
      <div className="flex basis-full flex-wrap gap-3">
        {(
          [
            ['from', 'First day (UTC)'],
            ['to', 'Last day (UTC)']
          ] as const
        ).map(([name, label]) => (
          <FilterInput
            key={name}
            label={label}
            type="date"
            value={search[name] ?? ''}
            onChange={(value) => apply(name, value)}
          />
        ))}
      </div>
    </FilterPanel>
  )
}
