import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { useAccount } from '../../layout/caller.ts'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { AuditRow } from './audit-row.tsx'
import { type AuditEntry, describeAction } from './describe-entry.ts'

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
                    <AuditRow key={entry.id} entry={entry} action={describeAction(entry.action)} />
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
