import type { EventType } from '@tollgate/contracts/events/event-types.ts'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'

/** An event that is mailed, or something that only a mail tells. */
export type MailedType =
  | EventType
  | 'key.revoked_by_operator'
  | 'recovery_code.used'
  | 'seat.removed'
  | 'sign_in.guessed'
  | 'sign_in.new_browser'

interface Kind {
  readonly types: readonly MailedType[]
  /** Whether nobody can switch it off. */
  readonly isRequired: boolean
  /** For the operators. */
  readonly isForOperators: boolean
  /**
   * How long further notices may join a mail before it is sent, ms: a thousand keys that expire together are one mail.
   */
  readonly collectMs: number
  /** What stops when it is switched off: `… about X`. */
  readonly about: string
}

export const kindsOfMails: Readonly<Record<MailKind, Kind>> = {
  budget: {
    types: ['budget.threshold', 'budget.window_threshold', 'budget.forecast', 'budget.window_forecast'],
    isRequired: false,
    isForOperators: false,
    collectMs: 30_000,
    about: 'budgets'
  },
  refusals: {
    types: ['requests.refused', 'requests.refused_ended'],
    isRequired: false,
    isForOperators: false,
    collectMs: 60_000,
    about: 'refused requests'
  },
  keys: {
    types: ['key.expiring', 'key.grace_ending'],
    isRequired: false,
    isForOperators: false,
    collectMs: 60_000,
    about: 'keys that expire'
  },
  webhooks: {
    types: ['webhook.disabled'],
    isRequired: false,
    isForOperators: false,
    collectMs: 10_000,
    about: 'webhook endpoints'
  },
  prices: {
    types: ['prices.rising'],
    isRequired: true,
    isForOperators: false,
    collectMs: 60_000,
    about: 'prices that rise'
  },
  account: {
    types: [
      'payment.failed',
      'payment.unmatched',
      'payment.duplicate',
      'account.suspended',
      'account.resumed',
      'key.revoked_by_operator',
      'recovery_code.used',
      'seat.removed',
      'sign_in.guessed',
      'sign_in.new_browser'
    ],
    isRequired: true,
    isForOperators: false,
    collectMs: 0,
    about: 'your account'
  },
  providers: {
    types: ['provider.failing', 'webhook.disabled'],
    isRequired: false,
    isForOperators: true,
    collectMs: 10_000,
    about: 'failing providers'
  },
  spend: {
    types: ['spend.unusual'],
    isRequired: false,
    isForOperators: true,
    collectMs: 60_000,
    about: 'unusual spend'
  },
  payments: {
    types: ['payment.unmatched', 'payment.duplicate'],
    isRequired: false,
    isForOperators: true,
    collectMs: 10_000,
    about: 'payments that need you'
  },
  acts: {
    types: ['act.pending'],
    isRequired: false,
    isForOperators: true,
    collectMs: 10_000,
    about: 'acts that wait for a second operator'
  },
  approvals: {
    types: ['account.waiting'],
    isRequired: false,
    isForOperators: true,
    collectMs: 10_000,
    about: 'accounts that wait for approval'
  }
}

/** The kind of mail that tells of something; null for what is not mailed. */
export function kindOf(type: MailedType, isForOperators: boolean): MailKind | null {
  const entry = Object.entries(kindsOfMails).find(
    ([, kind]) => kind.isForOperators === isForOperators && kind.types.includes(type)
  )
  return (entry?.[0] as MailKind | undefined) ?? null
}
