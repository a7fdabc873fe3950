import { type Static, Type } from 'typebox'
import { described } from './described.ts'

const orNull = <Schema extends ReturnType<typeof Type.Integer>>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A rate of the account, and what is left of it now. */
const Rate = Type.Object({
  per_minute: described('How much is allowed in a minute.', Type.Integer()),
  burst: Type.Integer({ description: 'How much may come at once.' }),
  left: orNull(Type.Integer({ description: 'How much may come at once now; null while it is not known.' })),
  full_in_ms: orNull(Type.Integer({ description: 'Milliseconds until the whole burst is available again.' }))
})
export type RateLeft = Static<typeof Rate>

const Decimal = Type.String({ description: 'US dollars' })

/** Limits of a plan on sale, to compare. */
export const LimitsOfPlan = Type.Object({
  id: described('The id of the plan.', Type.String()),
  name: described('The name of the plan.', Type.String()),
  is_current: described("Whether it is the account's plan.", Type.Boolean()),
  requests_per_minute: described('Requests that may start in a minute.', Type.Integer()),
  tokens_per_minute: described('Tokens that may be used in a minute.', Type.Integer()),
  concurrent_requests: described('Requests that may run at once.', Type.Integer()),
  request_budget_usd: described('The maximum cost of a request, in US dollars.', Type.Number()),
  monthly_budget_usd: described('The budget of a calendar month (UTC), in US dollars.', Type.Number()),
  free_requests_per_minute: orNull(
    Type.Integer({
      description: 'How many of an account’s requests may be to models that cost nothing; null: no limit of their own.'
    })
  ),
  free_requests_per_day: described('The same for a day (UTC); null: no limit of their own.', orNull(Type.Integer())),
  key_quota: described('Active inference keys; null for any number.', orNull(Type.Integer())),
  seats: described('People who share an account; null for any number.', orNull(Type.Integer()))
})
export type LimitsOfPlan = Static<typeof LimitsOfPlan>

/** The limits in force for an account, and what is left of them. */
export const AccountLimits = Type.Object({
  is_set_by_operator: Type.Boolean({ description: 'Whether an operator replaced limits of the plan.' }),
  requests: described('The rate of requests.', Rate),
  tokens: described('The rate of tokens.', Rate),
  concurrent_requests: described(
    'Requests that may run at once.',
    Type.Object({
      limit: described('How many the plan allows.', Type.Integer()),
      in_use: described('How many run now; null while it is not known.', orNull(Type.Integer()))
    })
  ),
  free_models: Type.Array(
    Type.Object({
      window: Type.Enum(['minute', 'day'], { description: 'In UTC.' }),
      limit: described('How many the plan allows.', Type.Integer()),
      left: described('How many are left now; null while it is not known.', orNull(Type.Integer()))
    }),
    { description: 'Requests to models that cost nothing; empty if the plan does not limit them.' }
  ),
  request_budget_usd: Type.Number({ description: 'The maximum cost of a request.' }),
  month: described(
    'The budget of this calendar month (UTC).',
    Type.Object({
      budget_usd: Decimal,
      free_budget_elsewhere: Type.Boolean({
        description: 'Whether another account with the same e-mail address has the free budget. Then this one has none.'
      }),
      spent_before_usd: Type.String({
        description:
          'What deleted accounts with the same e-mail address spent of this month’s free budget. `budget_usd` is without it.'
      }),
      spent_usd: Decimal,
      reserved_usd: Decimal,
      left_usd: Type.String({ description: 'US dollars. After a credit of the operator, it may exceed `budget_usd`.' }),
      resets_at: described('When the next month begins.', Type.String({ format: 'date-time' }))
    })
  ),
  keys: described(
    'Active inference keys.',
    Type.Object({
      limit: described('How many the plan allows; null for any number.', orNull(Type.Integer())),
      in_use: described('How many there are.', Type.Integer())
    })
  )
})
export type AccountLimits = Static<typeof AccountLimits>

export const LimitsResponse = Type.Object({
  limits: described('The limits in force for the account.', AccountLimits),
  plans: Type.Array(LimitsOfPlan, { description: 'The account’s plan and those on sale.' })
})
export type LimitsResponse = Static<typeof LimitsResponse>
