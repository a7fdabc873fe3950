import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import type { CatalogDiffResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import { planLimits } from './stub-data.ts'

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own body, which the stub has checked
type Body = any

/** The list in the order and with the filters of a query. Its pages have three accounts. */
export function listedAccounts(accounts: readonly AdminAccount[], query: Readonly<Record<string, string>>) {
  const size = 3
  const from = Number(query.cursor ?? 0)
  const found = accounts
    .filter(({ email, id }) => query.q === undefined || email.includes(query.q) || id.startsWith(query.q))
    .filter(({ plan }) => query.plan === undefined || plan === query.plan)
    .filter(({ status }) => query.status === undefined || status === query.status)
    .filter(({ past_due }) => query.past_due === undefined || past_due)
  const hasMore = found.length > from + size
  return {
    accounts: found.slice(from, from + size),
    has_more: hasMore,
    next_cursor: hasMore ? String(from + size) : null
  }
}

/** Does what an operator asked for. @returns the name of the act, and the answer if it is not the account */
export function changeAccount(op: string, account: AdminAccount, body: Body): { action: string; answer?: object } {
  switch (op) {
    case 'suspendAccount':
      Object.assign(account, { status: 'suspended', suspended_for: ['operator'] })
      return { action: 'account.suspended' }
    case 'resumeAccount':
      Object.assign(account, { status: 'active', suspended_for: [] })
      return { action: 'account.resumed' }
    case 'signOutAccount': {
      const sessions = account.users.reduce((sum, user) => sum + user.sessions, 0)
      for (const user of account.users) user.sessions = 0
      return { action: 'account.signed_out', answer: { ok: true, sessions } }
    }
    case 'adjustUsage': {
      const { id, month, reason, amount_usd } = body
      const adjustment = { id, month, reason, at: new Date().toISOString(), amount_usd: Number(amount_usd).toFixed(2) }
      if (!account.adjustments.some((one) => one.id === id)) account.adjustments.unshift(adjustment)
      return { action: 'account.adjusted', answer: { adjustment } }
    }
    case 'deleteAccount':
      return { action: 'account.deleted', answer: { ok: true } }
    default:
      override(account, body)
      return { action: 'account.overridden' }
  }
}

function override(account: AdminAccount, { plan, limits }: Body): void {
  if (plan !== undefined) Object.assign(account, { plan_override: plan, plan: plan?.id ?? account.own_plan })
  if (limits === undefined) return
  account.limits = planLimits()
  for (const [name, limit] of Object.entries(account.limits)) {
    const value = limits?.[name]
    if (value !== undefined)
      Object.assign(limit, { value, operator_value: value, from: 'operator', ends_at: limits.ends_at })
  }
}

/** A text with `broken` has problems; another one makes output dearer. */
export function comparisonOf({ yaml }: Body): CatalogDiffResponse {
  if (yaml?.includes('broken')) {
    return { problems: ['models.gpt-4o-mini.route: no upstream is named “broken”'], warnings: [], changes: [] }
  }
  return {
    problems: [],
    warnings: ['The prices change within seconds, for running subscriptions too.'],
    changes: [
      {
        path: 'models.gpt-4o-mini.usd_per_million_tokens.output',
        kind: 'changed',
        from: '0.6',
        to: '0.7',
        meaning: 'Output of gpt-4o-mini costs 16.7 % more.',
        accounts: 358
      },
      {
        path: 'plans.free.models.gpt-4o',
        kind: 'removed',
        from: 'gpt-4o',
        to: null,
        meaning: 'The plan free no longer includes gpt-4o. Requests get 403.',
        accounts: 310
      }
    ]
  }
}
