import { ApiError, explain } from '../../api/api-error.ts'

/** Why a call failed, in words, and where the reader can help themselves. */
export interface Problem {
  readonly text: string
  readonly remedies: ReadonlyArray<{
    readonly to: '/dashboard/billing' | '/dashboard/keys'
    readonly text: string
  }>
}

const billing = { to: '/dashboard/billing', text: 'See plans' } as const
const budget = { to: '/dashboard/billing', text: 'Change your budget or plan' } as const
const keys = { to: '/dashboard/keys', text: 'Change the key’s budget' } as const
const askOwner = 'Ask the owner of your team.'

interface Words {
  readonly text: string
  readonly remedies: Problem['remedies']
  /** What a seat can do, instead of the remedies. */
  readonly isForOwner: boolean
}

const words: Readonly<Record<string, Words>> = {
  monthly_budget_exceeded: {
    text: 'The account’s monthly budget is used up, or too small for this answer. A lower maximum of tokens costs less.',
    remedies: [budget],
    isForOwner: true
  },
  free_budget_elsewhere: {
    text: 'Another account with your e-mail address has the free budget. Use that account, or choose a paid plan.',
    remedies: [billing],
    isForOwner: true
  },
  free_spend_exhausted: {
    text: 'The free offer has reached its limit for today. Try again after midnight (UTC), or choose a paid plan.',
    remedies: [billing],
    isForOwner: true
  },
  request_budget_exceeded: {
    text: 'This answer may cost more than your plan allows for one request. Lower the maximum of tokens, or choose a cheaper model.',
    remedies: [billing],
    isForOwner: true
  },
  key_budget_exceeded: {
    text: 'The key’s monthly budget is used up, or too small for this answer.',
    remedies: [keys],
    isForOwner: false
  },
  model_not_allowed: {
    text: 'Your plan or key does not include this model. Choose another one.',
    remedies: [billing],
    isForOwner: true
  },
  requests_per_minute: {
    text: 'You have reached the requests per minute of your plan or key. Wait a moment, then try again.',
    remedies: [billing],
    isForOwner: true
  },
  tokens_per_minute: {
    text: 'You have reached the tokens per minute of your plan or key. Wait a moment, then try again.',
    remedies: [billing],
    isForOwner: true
  },
  concurrent_requests: {
    text: 'Too many of your requests run at the same time. Wait until one has ended, then try again.',
    remedies: [billing],
    isForOwner: true
  },
  revoked_api_key: {
    text: 'The key has been revoked or rotated. Continue without it.',
    remedies: [],
    isForOwner: false
  },
  paused_api_key: { text: 'The key is paused. Resume it, or continue without it.', remedies: [], isForOwner: false },
  expired_api_key: { text: 'The key has expired. Continue without it.', remedies: [], isForOwner: false }
}

/** Of a budget for a day, some models or a person, only the gateway's words say which one it is. */
function explainBudget({ code, message: text, scope }: ApiError): Words | null {
  if (code !== 'budget_exceeded') return null
  return scope === 'key'
    ? { text, remedies: [keys], isForOwner: false }
    : { text, remedies: [{ ...budget, text: 'Change the budgets' }], isForOwner: true }
}

/** Explains why a call of the playground failed. A seat cannot change plan and budget. */
export function explainFailure(error: unknown, role: 'owner' | 'seat'): Problem {
  const explanation = error instanceof ApiError ? (explainBudget(error) ?? words[error.code]) : undefined
  if (explanation === undefined) return { text: explain(error), remedies: [] }
  const { text, remedies, isForOwner } = explanation
  return isForOwner && role === 'seat' ? { text: `${text} ${askOwner}`, remedies: [] } : { text, remedies }
}
