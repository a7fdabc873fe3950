import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { formatMoment } from '../../format/time.ts'
import { useAccount } from '../../layout/caller.ts'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { type AuditEntry, describeAction, describeActor, describeDetail } from './describe-entry.ts'

const pageSize = '50'

export function AuditPage() {
  const { role } = useAccount()
  const query = useInfiniteQuery<Answer<'listAudit'>, ApiError, AuditEntry[], unknown[], string | undefined>({
    queryKey: ['listAudit', {}],
    queryFn: ({ pageParam: cursor, signal }) => send('listAudit', { query: { limit: pageSize, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
    enabled: role === 'owner'
  })
  return (
    <Page
      title="Audit log"
      description="Who changed what in this account, when and from where. Entries are kept for 400 days."
    >
      {role === 'owner' ? (
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {(entries) =>
              entries.length === 0 ? (
                <Empty icon={ScrollText} title="No entries yet">
                  Changes to keys, the team and the account will appear here.
                </Empty>
              ) : (
                <ol aria-label="Entries, newest first" className="divide-y divide-line">
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} />
                  ))}
                </ol>
              )
            }
          </QueryView>
        </Card>
      ) : (
        <Banner>Only the owner of the team can read the audit log.</Banner>
      )}
      <LoadMore query={query} text="Show older entries" />
    </Page>
  )
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const detail = describeDetail(entry)
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 px-5 py-3.5 text-sm md:grid-cols-[11rem_minmax(0,1fr)_minmax(0,14rem)]">
      <time dateTime={entry.at} className="text-ink-soft tabular-nums">
        {formatMoment(new Date(entry.at))}
      </time>
      <div className="min-w-0">
        <p className="font-medium break-words">{describeAction(entry.action)}</p>
        {detail.length > 0 && (
          <dl className="mt-0.5 flex flex-wrap gap-x-4 text-[0.8125rem] text-ink-soft">
            {detail.map(([name, value]) => (
              <div key={name} className="flex min-w-0 gap-1.5">
                <dt className="shrink-0">{name}:</dt>
                <dd className="min-w-0 break-all">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <div className="min-w-0 text-ink-soft md:text-right">
        <p className="break-words">{describeActor(entry)}</p>
        {entry.ip !== null && <p className="font-mono text-xs break-all">{entry.ip}</p>}
      </div>
    </li>
  )
}
