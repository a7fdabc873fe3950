import { Link } from '@tanstack/react-router'
import type { AdminAccountListing } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { textLink } from '../../../ui/text-link.ts'
import { describeSuspension, nameOfAccount, stateOfAccount } from '../describe-account.ts'

export function AccountRow({ account }: { readonly account: AdminAccountListing }) {
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
