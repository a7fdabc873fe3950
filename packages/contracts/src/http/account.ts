import { type Static, Type } from 'typebox'
import { kindNames } from '../catalog/apis.ts'
import { described } from './described.ts'

const closed = { additionalProperties: false } as const

const UsdPerMillion = Type.Number({ minimum: 0 })

/** A model of a plan, with its prices. */
export const OfferedModel = Type.Object({
  id: described('The name of the model in requests.', Type.String()),
  kind: described('What the model does: which endpoints can call it.', Type.Enum(kindNames)),
  usd_per_million_tokens: described(
    'US dollars for a million tokens. `GET /api/models` has all prices.',
    Type.Object({
      input: described('Tokens of the prompt.', UsdPerMillion),
      cached_input: described('Tokens of the prompt that the provider had in its cache.', UsdPerMillion),
      output: described('Tokens of the answer.', UsdPerMillion),
      reasoning: described('For hidden reasoning, which is part of the output.', UsdPerMillion)
    })
  )
})
export type OfferedModel = Static<typeof OfferedModel>

/** The account that the caller acts for. */
export const Account = Type.Object({
  id: described('The id of the account.', Type.String({ format: 'uuid' })),
  plan: described('The id of the plan in force.', Type.String()),
  status: described(
    '`suspended`: its keys are refused until an operator resumes it.',
    Type.Enum(['active', 'suspended'])
  ),
  waits_for_approval: described(
    "Present while the account waits for an operator's approval.",
    Type.Optional(Type.Literal(true))
  ),
  role: described("The caller's role in the account.", Type.Enum(['owner', 'seat'])),
  monthly_budget_usd: described(
    "The owner's own monthly budget (UTC), below the plan's; null without one.",
    Type.Union([Type.Number(), Type.Null()])
  ),
  plan_monthly_budget_usd: described('What the plan allows in a calendar month (UTC), in US dollars.', Type.Number()),
  models: described('The models that the plan includes.', Type.Array(OfferedModel))
})
export type Account = Static<typeof Account>

export const AccountResponse = Type.Object({ account: described('The account.', Account) })

const OwnBudget = Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), Type.Null()])

/** Dollars with at most nine decimals, at most the plan's budget; null removes the account's own budget. */
export const ChangeAccountRequest = Type.Object(
  {
    monthly_budget_usd: described(
      "The account's own budget for a calendar month (UTC), in US dollars with at most nine decimals. At most the plan's budget; null removes it.",
      OwnBudget
    ),
    if_monthly_budget_usd: described(
      'The budget that the caller saw. If the account has another one now, nothing changes. Without it, the last change counts.',
      Type.Optional(OwnBudget)
    )
  },
  closed
)
export type ChangeAccountRequest = Static<typeof ChangeAccountRequest>
