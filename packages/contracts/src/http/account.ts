import { type Static, Type } from 'typebox'
import { kindNames } from '../catalog/apis.ts'

const closed = { additionalProperties: false } as const

const UsdPerMillion = Type.Number({ minimum: 0 })

/** A model of a plan, with its prices. */
export const OfferedModel = Type.Object({
  id: Type.String(),
  kind: Type.Enum(kindNames),
  usd_per_million_tokens: Type.Object({
    input: UsdPerMillion,
    cached_input: UsdPerMillion,
    output: UsdPerMillion,
    /** For hidden reasoning, which is part of the output. */
    reasoning: UsdPerMillion
  })
})
export type OfferedModel = Static<typeof OfferedModel>

/** The account that the caller acts for. */
export const Account = Type.Object({
  id: Type.String({ format: 'uuid' }),
  plan: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  /** Present while the account waits for an operator's approval. */
  waits_for_approval: Type.Optional(Type.Literal(true)),
  /** The caller's role in the account. */
  role: Type.Enum(['owner', 'seat']),
  /** The owner's own monthly budget (UTC), below the plan's; null without one. */
  monthly_budget_usd: Type.Union([Type.Number(), Type.Null()]),
  plan_monthly_budget_usd: Type.Number(),
  /** The models that the plan includes. */
  models: Type.Array(OfferedModel)
})
export type Account = Static<typeof Account>

export const AccountResponse = Type.Object({ account: Account })

const OwnBudget = Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), Type.Null()])

/** Dollars with at most nine decimals, at most the plan's budget; null removes the account's own budget. */
export const ChangeAccountRequest = Type.Object(
  {
    monthly_budget_usd: OwnBudget,
    /**
     * The budget that the caller saw. If the account has another one now, nothing changes. Without it, the last change
     * counts.
     */
    if_monthly_budget_usd: Type.Optional(OwnBudget)
  },
  closed
)
export type ChangeAccountRequest = Static<typeof ChangeAccountRequest>
