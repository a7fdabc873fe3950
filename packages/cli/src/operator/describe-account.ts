import type { AdminAccount, AdminAccountListing, AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { pairs, table } from '../commands/show.ts'

/** The list of accounts as a table. */
export const describeAccounts = (accounts: readonly AdminAccountListing[]): string =>
  table(
    [
      ['ID', 'ADDRESS', 'PLAN', 'STATUS', 'PEOPLE', 'KEYS', 'SPENT', 'CREATED'],
      ...accounts.map((one) => [
        one.id,
        one.email || '(deleted)',
        one.plan,
        statusOf(one),
        one.people,
        one.keys,
        `$${one.spent_usd}`,
        one.created_at.slice(0, 10)
      ])
    ],
    'No account matches. Try another --q, --plan or --status.'
  )

/** Everything about one account. */
export function describeAccount(account: AdminAccount): string {
  const { subscription, plan_override: override } = account
  return [
    pairs([
      ['Account', account.id],
      ['Owner', `${account.name} <${account.email}>`],
      ['Status', statusOf(account)],
      [
        'Plan',
        override === null
          ? account.plan
          : `${account.plan} (set by an operator until ${endOf(override.ends_at)}; own plan ${account.own_plan})`
      ],
      ['Spent', `$${account.spent_usd} this month, $${account.reserved_usd} reserved`],
      [
        'Subscription',
        subscription === null ? 'none' : `${subscription.status ?? 'none'} at ${subscription.customer_id}`
      ],
      ['Created', account.created_at]
    ]),
    section('Limits', describeLimits(account.limits)),
    listed(
      'Users',
      ['ADDRESS', 'NAME', 'ROLE', 'SESSIONS'],
      account.users.map((one) => [one.email, one.name, one.role, one.sessions])
    ),
    listed(
      'Keys',
      ['ID', 'LABEL', 'PREFIX', 'SCOPE', 'STATUS', 'LAST USED'],
      account.key_list.map((key) => [key.id, key.label, key.prefix, key.scope, key.status, key.last_used_at ?? 'never'])
    ),
    listed(
      'Adjustments',
      ['MONTH', 'AMOUNT', 'REASON', 'AT'],
      account.adjustments.map((one) => [one.month, one.amount_usd, one.reason, one.at])
    ),
    listed(
      'Audit',
      ['AT', 'ACTION', 'BY', 'SUBJECT'],
      account.audit.map((one) => [one.at, one.action, one.actor_email, one.subject])
    )
  ].join('\n\n')
}

/** Says that an act is not done yet. */
export const describePending = ({ id, ends_at: endsAt }: Pick<PendingAct, 'id' | 'ends_at'>): string =>
  [
    'Waits for a second operator. Nothing was changed yet.',
    `Another operator confirms it on the accounts page of the console until ${endsAt} (pending act ${id}).`
  ].join('\n')

/** A section with a table. */
const listed = (title: string, head: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number | null>>) =>
  section(title, table([head, ...rows], 'None.'))

const section = (title: string, text: string): string => `${title}\n${text.replace(/^/gm, '  ')}`

const statusOf = (one: Pick<AdminAccountListing, 'status' | 'suspended_for' | 'past_due'>): string =>
  [
    one.status === 'active' ? 'active' : `suspended (${one.suspended_for.join(', ')})`,
    ...(one.past_due ? ['past due'] : [])
  ].join(', ')

const endOf = (instant: string | null): string => instant ?? 'further notice'

function describeLimits(limits: AdminLimits): string {
  const rows = Object.entries(limits).map(([name, { value, from, plan_value, ends_at }]) => [
    name.replaceAll('_', ' '),
    value ?? 'none',
    from,
    plan_value ?? 'none',
    ends_at ?? '-'
  ])
  return table([['LIMIT', 'VALUE', 'FROM', 'PLAN', 'UNTIL'], ...rows], 'None.')
}
