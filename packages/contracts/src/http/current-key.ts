import { type Static, type TSchema, Type } from 'typebox'
import { budgetWindows } from '../records/budget-windows.ts'
import { described } from './described.ts'

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Usd = (description: string) => Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$', description })

const Budget = Type.Object({
  of: Type.Enum(['key', 'account', 'member'], {
    description:
      'Whose requests it counts: of this key, of all keys of the account, or of all keys that the creator of this key created.'
  }),
  window: Type.Enum([...budgetWindows], {
    description: 'A calendar day, week (from Monday) or month in UTC; or for ever, which never resets.'
  }),
  models: orNull(Type.Array(Type.String(), { description: 'Only these models count; null: all models count.' })),
  limit_usd: Usd('The budget.'),
  spent_usd: Usd('What ended requests cost.'),
  reserved_usd: Usd('The maximum cost of running requests.'),
  remaining_usd: Usd('What requests may still cost. After a credit of the operator, it may exceed `limit_usd`.'),
  resets_at: orNull(Type.String({ format: 'date-time', description: 'null: never.' }))
})
export type Budget = Static<typeof Budget>

const Rate = Type.Object({
  of: described('Whose limit it is: the one that refuses first.', Type.Enum(['key', 'account'])),
  per_minute: described('How much is allowed in a minute.', Type.Integer()),
  burst: Type.Integer({ description: 'How much may come at once.' }),
  left: Type.Integer({ description: 'How much may come at once now.' }),
  full_in_ms: Type.Integer({ description: 'Milliseconds until the whole burst is available again.' })
})
export type Rate = Static<typeof Rate>

/** What a key may use, and what is left of it. The last members have OpenRouter's names. */
const KeyFacts = Type.Object({
  id: described('The id of the key.', Type.String()),
  label: orNull(Type.String({ description: 'null: the gateway does not know it yet.' })),
  plan: described(
    'The plan of the account.',
    Type.Object({
      id: described('The id of the plan.', Type.String()),
      name: described('The name of the plan.', Type.String())
    })
  ),
  models: Type.Array(Type.String(), { description: 'The ids of the models that the key may use.' }),
  expires_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When this secret stops working: when the key expires, or when the grace of a rotated secret ends.'
    })
  ),
  budgets: Type.Array(Budget, {
    description: 'A request must fit into each of them that counts its model.'
  }),
  limits: described(
    'Rates, and how many requests may run at once.',
    Type.Object({
      requests: described('The rate of requests.', Rate),
      tokens: described('The rate of tokens.', Rate),
      concurrent_requests: described(
        'Requests that may run at once.',
        Type.Object({
          limit: described('How many may run.', Type.Integer()),
          in_use: described('How many run now.', Type.Integer())
        })
      ),
      free_models: Type.Array(
        Type.Object({
          window: Type.Enum(['minute', 'day'], { description: 'In UTC.' }),
          limit: described('How many are allowed.', Type.Integer()),
          left: described('How many are left now.', Type.Integer())
        }),
        { description: 'The account’s requests to models that cost nothing; empty if the plan does not limit them.' }
      )
    })
  ),
  limit: orNull(
    Type.Number({
      description:
        'The budget of the key, in dollars: of several the one with the least left. Null if the key has none for all models.'
    })
  ),
  limit_remaining: described('What is left of `limit`, in dollars; null without one.', orNull(Type.Number())),
  limit_reset: described(
    'When `limit` begins again; null: never, or no limit.',
    orNull(Type.Enum(['daily', 'weekly', 'monthly']))
  ),
  usage: orNull(
    Type.Number({
      description:
        'What the key ever spent, in dollars. Null without a lifetime budget of the key for all models: nothing counts it.'
    })
  ),
  usage_daily: orNull(Type.Number({ description: 'Today, in UTC; null without a daily budget.' })),
  usage_weekly: orNull(Type.Number({ description: 'Since Monday; null without a weekly budget.' })),
  usage_monthly: Type.Number({ description: 'What the key spent this month, in dollars.' }),
  is_free_tier: Type.Boolean({ description: 'Whether the account has the free plan.' }),
  is_management_key: described('Always false: management keys do not call models.', Type.Literal(false)),
  is_provisioning_key: Type.Literal(false, { description: 'The former name of `is_management_key`.' })
})
export type KeyFacts = Static<typeof KeyFacts>

export const CurrentKey = Type.Object({ data: described('The key.', KeyFacts) })

/** The account's budget for the month, under OpenRouter's names. */
export const Credits = Type.Object({
  data: described(
    'The budget.',
    Type.Object({
      total_credits: Type.Number({
        description:
          'The account’s budget for this month, in dollars, with credits of the operator beyond what was spent.'
      }),
      total_usage: Type.Number({ description: 'What the account spent of it, in dollars.' })
    })
  )
})
export type Credits = Static<typeof Credits>
