import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminAccountListing } from '@tollgate/contracts/http/admin/accounts.ts'
import { Building2 } from 'lucide-react'
import { adminRead } from '../../../api/admin.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { buttonLook } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { Moment } from '../../../ui/moment.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { LateSearchField } from '../../../ui/search-field.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Choice } from '../../../ui/select-box.tsx'
import { Empty, QueryView } from '../../../ui/states.tsx'
import { OpenRequest } from '../../requests/request-log.tsx'
import { describeSuspension, nameOfAccount, stateOfAccount } from '../describe-account.ts'
import { usePlans } from '../plans.ts'
import { type AccountsSearch, isFiltered, queryOf, statusNames } from './accounts-search.ts'
import { PendingActsCard } from './pending-acts-card.tsx'

const path = '/dashboard/operator/accounts'

export function AccountsPage() {
  const search = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  const query = useQuery({
    ...adminRead('listAccounts', { query: queryOf(search) }),
    placeholderData: keepPreviousData
  })
  // Another list begins with its first page.
  const change = (changed: AccountsSearch) =>
    void navigate({ search: { ...search, cursor: '', ...changed }, replace: true })
  const isOld = query.isPlaceholderData
  const next = isOld ? null : (query.data?.next_cursor ?? null)
  return (
    <Page {...operatorHeads['/dashboard/operator/accounts']}>
      <PendingActsCard />
      <AccountFilters search={search} onChange={change} />
      <OpenRequest receipts="/dashboard/operator/requests" />
      <div aria-busy={isOld} className={`transition-opacity ${isOld ? 'opacity-60' : ''}`}>
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {({ accounts }) =>
              accounts.length === 0 ? (
                <NoAccounts search={search} />
              ) : (
                <ul aria-label="Accounts" className="divide-y divide-line">
                  {accounts.map((account) => (
                    <AccountRow key={account.id} account={account} />
                  ))}
                </ul>
              )
            }
          </QueryView>
        </Card>
      </div>
      {(next !== null || search.cursor !== undefined) && (
        <nav aria-label="Pages of the list" className="flex justify-center gap-2">
          {search.cursor !== undefined && (
            <Link to={path} search={{ ...search, cursor: '' }} className={buttonLook()}>
              First page
            </Link>
          )}
          {next !== null && (
            <Link to={path} search={{ ...search, cursor: next }} className={buttonLook()}>
              Next page
            </Link>
          )}
        </nav>
      )}
    </Page>
  )
}

function NoAccounts({ search }: { readonly search: AccountsSearch }) {
  if (!isFiltered(search) && search.cursor === undefined) {
    return (
      <Empty icon={Building2} title="No accounts yet">
        Everyone who signs up appears here.
      </Empty>
    )
  }
  return (
    <Empty
      icon={Building2}
      title="No matching accounts"
      action={
        <Link to={path} search={{}} className={buttonLook()}>
          Show all accounts
        </Link>
      }
    >
      Search for a part of an e-mail address, the first four or more characters of an account id, a whole key id, or a
      value of a key’s metadata.
    </Empty>
  )
}

function AccountRow({ account }: { readonly account: AdminAccountListing }) {
  const { id, name, plan, suspended_for, past_due, people, keys, spent_usd, created_at } = account
  const state = stateOfAccount(account)
  const facts = [
    ['Spend', formatUsd(spent_usd)],
    ['Plan', plan],
    ['Keys', formatCount(keys)],
    ['People', formatCount(people)],
    ['Created', <Moment key="created" at={created_at} />]
  ] as const
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-2 px-5 py-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)] lg:items-center">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <Link to="/dashboard/operator/accounts/$id" params={{ id }} className={`min-w-0 break-all ${textLink}`}>
            {nameOfAccount(account)}
          </Link>
          {state !== null && (
            <span title={describeSuspension(suspended_for).join(' ')} className="min-w-0 break-all">
              <Badge tone={state[0]}>{state[1]}</Badge>
            </span>
          )}
          {past_due && <Badge tone="warning">Past due</Badge>}
        </div>
        <p className="mt-0.5 truncate text-[0.8125rem] text-ink-soft">{visibleText(name) === '' ? id : name}</p>
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm min-[400px]:grid-cols-3 sm:grid-cols-5">
        {facts.map(([fact, value]) => (
          <div key={fact} className="min-w-0">
            <dt className="text-[0.8125rem] text-ink-soft">{fact}</dt>
            <dd className="break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

const orders = [
  ['spend', 'Highest spend'],
  ['created', 'Newest']
] as const

interface AccountFiltersProps {
  readonly search: AccountsSearch
  readonly onChange: (changed: AccountsSearch) => void
}

function AccountFilters({ search, onChange }: AccountFiltersProps) {
  const plans = usePlans(search.plan)
  return (
    <search className="flex flex-wrap items-center gap-3">
      <LateSearchField
        label="Search accounts"
        placeholder="Address, id, key id or metadata"
        text={search.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <Choice
        label="Plan"
        value={search.plan ?? ''}
        options={[['', 'All plans'], ...plans]}
        onChange={(plan) => onChange({ plan })}
      />
      <Choice
        label="Status"
        value={search.status ?? ''}
        options={[['', 'Any status'], ...Object.entries(statusNames)]}
        onChange={(status) => onChange({ status })}
      />
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={search.past_due === 'true'}
          onChange={(event) => onChange({ past_due: event.currentTarget.checked ? 'true' : '' })}
          className="size-4 accent-accent"
        />
        Past due only
      </label>
      <Segments
        legend="Sort by"
        options={orders}
        value={search.sort === 'created' ? 'created' : 'spend'}
        onChange={(sort) => onChange({ sort: sort === 'created' ? sort : '' })}
      />
    </search>
  )
}
