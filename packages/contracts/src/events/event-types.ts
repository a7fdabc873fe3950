import { type Static, Type } from 'typebox'
import { budgetWindows } from '../records/budget-windows.ts'
import { refusalReasons, refusedMembers } from '../requests/refusal-reasons.ts'

const Instant = Type.String({ format: 'date-time' })
const Usd = Type.String({ description: 'US dollars, such as 12.50.' })
const Month = Type.String({ description: 'A month (UTC), such as 2026-11.' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** A key, as events name it. */
const EventKey = Type.Object({
  id: Type.String(),
  label: Type.String(),
  scope: Type.Enum(['inference', 'management']),
  metadata: Type.Record(Type.String(), Type.String())
})

/** Refused requests of a key. The amounts are those of the smallest one. */
const refusals = {
  key: EventKey,
  code: Type.String({ description: 'The code of the error that clients get.' }),
  reason: Type.Enum([...refusalReasons]),
  since: Instant,
  last_at: Instant,
  requests: Type.Integer({ description: 'How many were refused since then.' }),
  model: orNull(Type.String()),
  ...refusedMembers
}

/** Which budget it is. */
const ofWindow = {
  scope: Type.Enum(['account', 'member', 'key'], { description: 'Whose budget it is.' }),
  key: orNull(EventKey),
  member_id: orNull(Type.String(), 'The person, if `scope` is `member`.'),
  window: Type.Enum([...budgetWindows], {
    description: 'A calendar day, week (from Monday) or month in UTC; `lifetime` never begins again.'
  }),
  models: orNull(Type.Array(Type.String()), 'It counts requests to these models alone; null: all models.')
}

const Subscription = Type.String({ description: 'Its id at the payment provider.' })
const Prices = Type.Array(Type.String(), { description: 'Ids of its prices at the payment provider.' })

/** Why an operator did it, in their words. Absent if nobody said why, or if it was no operator. */
const Note = Type.Optional(Type.String({ description: 'Why an operator did it, in their words.' }))

/** Events of an account, with their data. Never change what a type means; add members only. */
export const accountEvents = {
  'budget.threshold': Type.Object(
    {
      scope: Type.Enum(['account', 'key']),
      key: orNull(EventKey),
      month: Month,
      percent: Type.Integer({ description: 'The threshold that the spend has reached.' }),
      budget_usd: Usd,
      spent_usd: Usd
    },
    { description: 'The spend of the month has reached a share of the budget of the account or a key.' }
  ),
  'budget.forecast': Type.Object(
    { month: Month, budget_usd: Usd, spent_usd: Usd, forecast_usd: Usd },
    { description: 'At the pace of the last days, the account will use up its budget before the month ends.' }
  ),
  // Not the type of the monthly budgets: programs that know only those would take it for them.
  'budget.window_threshold': Type.Object(
    {
      ...ofWindow,
      percent: Type.Integer({ description: 'The threshold that the spend of the window has reached.' }),
      budget_usd: Usd,
      spent_usd: Usd,
      resets_at: orNull(Instant, 'When the next window begins; null: never.')
    },
    {
      description:
        'The spend has reached a share of a budget of a day, a week or for ever, of some models, or of a member. `budget.threshold` tells of the other budgets: those of a month for all models of the account or a key.'
    }
  ),
  'budget.window_forecast': Type.Object(
    {
      ...ofWindow,
      budget_usd: Usd,
      spent_usd: Usd,
      used_up_at: Type.String({ ...Instant, description: 'When it will be used up.' }),
      resets_at: orNull(Instant, 'When the next window begins; null: never.')
    },
    {
      description:
        'At the pace of the last days, a budget of a week or month will be used up before it resets, or one for ever within seven days. `budget.forecast` tells of the account’s budget of a month for all models; budgets of a day have no forecast.'
    }
  ),
  'requests.refused': Type.Object(refusals, {
    description:
      'A key refuses requests. At most once a day (UTC) for each key and code. Refusals by a rate are told after 100 of them.'
  }),
  'requests.refused_ended': Type.Object(refusals, {
    description:
      'A key no longer refuses requests: one was served that is at least as large, a limit was changed, or none was refused for a day.'
  }),
  'key.created': Type.Object({ key: EventKey }, { description: 'A key was created.' }),
  'key.rotated': Type.Object(
    { key: EventKey, old_secret_until: orNull(Instant) },
    { description: 'A key got a new secret. The old secret works until the given time; null: it stopped at once.' }
  ),
  'key.grace_ending': Type.Object(
    { key: EventKey, old_secret_until: Instant },
    { description: 'The old secret of a rotated key soon stops working.' }
  ),
  'key.expiring': Type.Object({ key: EventKey, expires_at: Instant }, { description: 'A key soon expires.' }),
  'key.revoked': Type.Object({ key: EventKey, note: Note }, { description: 'A key was revoked.' }),
  'plan.changed': Type.Object({ from: orNull(Type.String()), to: Type.String() }, { description: 'The plan changed.' }),
  'prices.rising': Type.Object(
    {
      model: Type.String(),
      from: Instant,
      prices: Type.Array(
        Type.Object({
          kind: Type.String({ description: 'Such as cached_input.' }),
          unit: Type.String({ description: 'What the price is for, such as 1M tokens.' }),
          from_usd: Usd,
          to_usd: Usd
        }),
        { description: 'Prices of the standard tier and short prompts that rise, as the account pays them.' }
      )
    },
    {
      description:
        'From a later day on, the account will pay more for a model that it used in the last 30 days. Once for each model and day.'
    }
  ),
  'payment.failed': Type.Object(
    { invoice_id: orNull(Type.String()) },
    { description: 'A payment failed. The plan ends if the payment provider gives up.' }
  ),
  'payment.unmatched': Type.Object(
    { account_id: Type.String(), subscription_id: Subscription, price_ids: Prices },
    {
      description:
        'A subscription was paid, but no plan has its price. The plan stays as it was. An operator must help.'
    }
  ),
  'payment.duplicate': Type.Object(
    {
      account_id: Type.String(),
      subscription_id: Subscription,
      price_ids: Prices,
      kept_subscription_id: Type.String(),
      kept_price_ids: Prices
    },
    {
      description:
        'An account paid for two subscriptions. The dearer one is kept, the other one ends, and its unused time is credited.'
    }
  ),
  'account.suspended': Type.Object(
    { reason: Type.String(), note: Note },
    { description: 'The account was suspended: all its keys are refused.' }
  ),
  'account.resumed': Type.Object({ reason: Type.String() }, { description: 'A suspension of the account ended.' }),
  'webhook.disabled': Type.Object(
    { endpoint_id: Type.String(), url: Type.String() },
    { description: 'A webhook endpoint failed for a day, so it gets no more events.' }
  ),
  'webhook.test': Type.Object({ endpoint_id: Type.String() }, { description: 'Somebody asked for a test event.' })
} as const

/** Events for operators, with their data. */
export const operatorEvents = {
  'request.failed_over': Type.Object(
    {
      model: Type.String(),
      from_upstream: Type.String(),
      to_upstream: Type.String(),
      minute: Instant,
      requests: Type.Integer()
    },
    { description: 'In one minute, these requests were answered by another upstream because the first one failed.' }
  ),
  'provider.failing': Type.Object(
    { upstream: Type.String(), since: Instant, requests: Type.Integer(), failed: Type.Integer() },
    { description: 'Most calls of an upstream have failed for some minutes.' }
  ),
  'spend.unusual': Type.Object(
    { account_id: Type.String(), hour: Instant, spent_usd: Usd, usual_usd: Usd },
    { description: 'An account spent far more in an hour than it usually does.' }
  ),
  'act.pending': Type.Object(
    {
      pending_act_id: Type.String(),
      account_id: Type.String(),
      action: Type.Enum(['account.adjusted', 'account.overridden']),
      ends_at: Instant
    },
    { description: 'An act of an operator waits until another operator confirms or rejects it.' }
  ),
  'account.waiting': Type.Object(
    {
      /** How many wait now. */
      waiting: Type.Integer()
    },
    { description: 'New accounts wait for the approval of an operator. At most one such event an hour tells how many.' }
  ),
  'payment.unmatched': accountEvents['payment.unmatched'],
  'payment.duplicate': accountEvents['payment.duplicate'],
  'webhook.disabled': accountEvents['webhook.disabled'],
  'webhook.test': accountEvents['webhook.test']
} as const

export type AccountEventType = keyof typeof accountEvents
export type OperatorEventType = keyof typeof operatorEvents
export type EventType = AccountEventType | OperatorEventType

type Shapes = typeof accountEvents & typeof operatorEvents
export type EventData<Type extends EventType> = Static<Shapes[Type]>
