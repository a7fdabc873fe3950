import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { OperatorAct } from '@tollgate/contracts/http/admin/audit.ts'
import { ClipboardList } from 'lucide-react'
import { type AdminAnswer, adminSend } from '../../api/admin.ts'
import type { ApiError } from '../../api/api-error.ts'
import { useUser } from '../../layout/owner.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { operatorHeads } from '../../ui/operator-heads.ts'
import { Page } from '../../ui/page.tsx'
import { Choice } from '../../ui/select-box.tsx'
import { Empty, LoadMore, QueryView } from '../../ui/states.tsx'
import { AuditRow } from '../audit/audit-list.tsx'
import { describeActor, describeDetail } from '../audit/describe-entry.ts'
import { nameOfAccount } from './describe-account.ts'

/** What an operator did, after their name. */
const deeds: Readonly<Record<string, string>> = {
  'account.suspended': 'suspended an account',
  'account.resumed': 'resumed an account',
  'account.approved': 'approved an account',
  'account.overridden': 'changed the plan or the limits of an account',
  'account.adjusted': 'adjusted the usage of an account',
  'account.signed_out': 'signed out everyone in an account',
  'account.deleted': 'deleted an account',
  'act.asked': 'asked a second operator to confirm an act',
  'act.confirmed': 'confirmed what another operator asked for',
  'act.rejected': 'rejected what another operator asked for',
  'key.revoked': 'revoked a key',
  'catalog.applied': 'applied a catalog',
  'projection.rebuilt': 'rebuilt the projection in Redis',
  'announcement.created': 'announced something on the status page',
  'announcement.changed': 'changed or ended an announcement',
  'announcement.deleted': 'deleted an announcement'
}

/** An act of an operator as a sentence. An unknown act is shown by its name. @param actor the operator's name */
const describeAct = (actor: string, action: string): string => `${actor} ${deeds[action] ?? action}.`

const path = '/dashboard/operator/log'
const pageSize = '50'

/** What operators did and why, newest first. The filters are in the address. */
export function OperatorsLogPage() {
  const { actor_id, account_id } = useSearch({ from: path })
  const filters = { limit: pageSize, ...(actor_id && { actor_id }), ...(account_id && { account_id }) }
  const query = useInfiniteQuery<AdminAnswer<'listActs'>, ApiError, OperatorAct[], unknown[], string | undefined>({
    queryKey: ['admin', 'listActs', filters],
    queryFn: ({ pageParam: cursor, signal }) => adminSend('listActs', { query: { ...filters, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries)
  })
  const isFiltered = actor_id !== undefined || account_id !== undefined
  return (
    <Page {...operatorHeads['/dashboard/operator/log']}>
      <Filters entries={query.data ?? []} />
      <Card isFlush>
        <QueryView query={query} lines={8}>
          {(entries) =>
            entries.length === 0 ? (
              <Empty icon={ClipboardList} title={isFiltered ? 'No matching entries' : 'No entries yet'}>
                Suspensions, changed limits, adjustments, revoked keys and applied catalogs appear here.
              </Empty>
            ) : (
              <ol aria-label="Entries, newest first" className="divide-y divide-line">
                {entries.map((entry) => (
                  <Act key={entry.id} entry={entry} />
                ))}
              </ol>
            )
          }
        </QueryView>
      </Card>
      <LoadMore query={query} text="Show older entries" />
    </Page>
  )
}

/** Filters by operator, among those in the list, and by account. */
function Filters({ entries }: { readonly entries: readonly OperatorAct[] }) {
  const user = useUser()
  const { actor_id, account_id } = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  const operators = new Map([[user.id, `${user.email} (you)`]])
  for (const entry of entries) {
    if (entry.actor_id !== null && !operators.has(entry.actor_id)) operators.set(entry.actor_id, describeActor(entry))
  }
  if (actor_id !== undefined && !operators.has(actor_id)) operators.set(actor_id, actor_id)
  const account = entries.find((entry) => entry.account_id === account_id)?.account_email ?? account_id
  return (
    <search className="flex flex-wrap items-center gap-3 text-sm">
      <Choice
        label="Operator"
        value={actor_id ?? ''}
        options={[['', 'All operators'], ...operators]}
        onChange={(chosen) => void navigate({ search: { account_id, actor_id: chosen }, replace: true })}
      />
      {account_id !== undefined && (
        <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
          <span className="min-w-0 break-all">Only about {account}</span>
          <Link to={path} search={{ actor_id }} replace className={buttonLook({ size: 'small' })}>
            Show all accounts
          </Link>
        </p>
      )}
    </search>
  )
}

function Act({ entry }: { readonly entry: OperatorAct }) {
  const { account_id, account_email } = entry
  return (
    <AuditRow entry={entry} sentence={describeAct(describeActor(entry), entry.action)} details={describeDetail(entry)}>
      {account_id !== null && (
        <p className="mt-0.5 flex flex-wrap gap-x-3">
          <Link
            to="/dashboard/operator/accounts/$id"
            params={{ id: account_id }}
            className={`min-w-0 break-all ${textLink}`}
          >
            {nameOfAccount({ email: account_email ?? '' })}
          </Link>
          <Link
            to={path}
            search={(before) => ({ ...before, account_id })}
            className="text-ink-soft underline underline-offset-3"
          >
            Only this account<span className="sr-only">, {nameOfAccount({ email: account_email ?? '' })}</span>
          </Link>
        </p>
      )}
      <p className="mt-0.5 break-words">Reason: {entry.reason}</p>
    </AuditRow>
  )
}
