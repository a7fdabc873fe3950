import {
  type AdminAccount,
  type AdminAccountListing,
  AdminAccountResponse,
  type AdminLimits,
  type ChangeAccountByOperatorRequest,
  type OwnLimits
} from '@tollgate/contracts/http/admin/accounts.ts'
import { type PendingAct, PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { Type } from 'typebox'
import { type CommandIo, exitCodes, UsageError } from '../commands/command.ts'
import { type Action, type Input, pairs, show, table } from '../commands/create-command.ts'
import { createAdminClient } from './admin-client.ts'
import { accountId, instantOption, integerOption, numberOption, reasonOption } from './option-values.ts'

const endOptions = {
  until: { value: 'TIME', text: 'when it ends, UTC; without it, it does not end' },
  clear: { value: null, text: 'remove what an operator set' }
} as const

/** `account limit`: limits instead of the plan's. */
export const limit: Action = {
  name: 'limit',
  summary: 'Sets limits instead of the plan’s. They replace all limits that an operator set before.',
  operands: ['ACCOUNT'],
  options: {
    ...reasonOption,
    'monthly-budget': { value: 'USD', text: 'spend per month' },
    'request-budget': { value: 'USD', text: 'maximum cost of a request' },
    'requests-per-minute': { value: 'N', text: 'request rate' },
    'tokens-per-minute': { value: 'N', text: 'token rate' },
    'concurrent-requests': { value: 'N', text: 'requests in flight' },
    'key-quota': { value: 'N', text: 'number of keys' },
    'price-group': { value: 'NAME', text: 'price group of the catalog' },
    ...endOptions
  },
  async run(input, io) {
    const limits = limitsOf(input)
    const isEmpty = Object.keys(limits).length === 1
    if (input.has('clear') !== isEmpty) throw new UsageError('Give at least one limit, or --clear to remove all.')
    return change(input, io, { reason: input.required('reason'), limits: isEmpty ? null : limits })
  }
}

/** `account plan`: a plan instead of the account's own. */
export const plan: Action = {
  name: 'plan',
  summary: 'Sets a plan instead of the account’s own. The subscription stays as it is.',
  operands: ['ACCOUNT', '[PLAN]'],
  options: { ...reasonOption, ...endOptions },
  async run(input, io) {
    const [, id] = input.operands
    if (input.has('clear') !== (id === undefined)) throw new UsageError('Give a plan, or --clear to remove it.')
    const override = id === undefined ? null : { id, ends_at: instantOption(input, 'until') }
    return change(input, io, { reason: input.required('reason'), plan: override })
  }
}

async function change(input: Input, io: CommandIo, body: ChangeAccountByOperatorRequest) {
  const client = createAdminClient(io)
  const id = await accountId(client, input.operands[0]!)
  const answer = Type.Union([AdminAccountResponse, PendingActResponse])
  const result = await client.call(answer, 'PATCH', `/accounts/${id}`, { body })
  show(input, io, result, () =>
    'pending' in result ? describePending(result.pending) : describeAccount(result.account)
  )
  return exitCodes.done
}

function limitsOf(input: Input): OwnLimits {
  const values = {
    monthly_budget_usd: numberOption(input, 'monthly-budget'),
    request_budget_usd: numberOption(input, 'request-budget'),
    requests_per_minute: integerOption(input, 'requests-per-minute'),
    tokens_per_minute: integerOption(input, 'tokens-per-minute'),
    concurrent_requests: integerOption(input, 'concurrent-requests'),
    key_quota: integerOption(input, 'key-quota')
  }
  const limits = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
  const group = input.text('price-group')
  return { ...limits, ...(group !== null && { price_group: group }), ends_at: instantOption(input, 'until') }
}

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
