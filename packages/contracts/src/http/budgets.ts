import { type Static, type TSchema, Type } from 'typebox'
import { budgetWindows, maxBudgets } from '../records/budget-windows.ts'
import { described } from './described.ts'

const closed = { additionalProperties: false } as const
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const Window = Type.Enum([...budgetWindows], {
  description:
    'How long it counts before it begins again: a calendar day, week (from Monday) or month in UTC; `lifetime` never begins again.'
})
const Limit = Type.Number({ minimum: 0, maximum: 1e6, description: 'Dollars, with at most nine decimals.' })

const terms = {
  window: Window,
  limit_usd: Limit,
  models: described(
    "Models of the account's plan.",
    Type.Optional(
      orNull(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          minItems: 1,
          maxItems: 50,
          uniqueItems: true,
          description: 'It counts requests to these models alone; null or absent: all models.'
        })
      )
    )
  )
}

/** A budget of a key, as a caller sets it. */
export const KeyBudgetTerms = Type.Object(terms, closed)
export type KeyBudgetTerms = Static<typeof KeyBudgetTerms>

/** A budget of the account or of a member, as the owner sets it. */
export const AccountBudgetTerms = Type.Object(
  {
    of: Type.Enum(['account', 'member'], {
      description: 'Whether it counts all keys, or those that one person created.'
    }),
    member_id: described(
      'Id of the person, if `of` is `member`; null or absent otherwise.',
      Type.Optional(orNull(Type.String({ format: 'uuid', description: 'The person, if `of` is `member`.' })))
    ),
    ...terms
  },
  closed
)
export type AccountBudgetTerms = Static<typeof AccountBudgetTerms>

/** A budget of a key. */
export const KeyBudget = Type.Object({
  window: Window,
  models: described('It counts requests to these models alone; null: all models.', orNull(Type.Array(Type.String()))),
  limit_usd: described('US dollars that requests may cost in each window.', Type.Number())
})
export type KeyBudget = Static<typeof KeyBudget>

const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })

/** What is used of a budget. */
export const BudgetUse = Type.Object({
  spent_usd: described('US dollars that ended requests cost in this window.', Usd),
  reserved_usd: Type.String({ ...Usd, description: 'The maximum cost of running requests.' }),
  remaining_usd: described('US dollars that requests may still cost in this window.', Usd),
  resets_at: orNull(Type.String({ format: 'date-time', description: 'Null: never.' })),
  used_up_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'When it will be used up at the pace of the last seven complete days; null: not before it resets, or fewer than three days of usage.'
    })
  )
})
export type BudgetUse = Static<typeof BudgetUse>

const use = orNull(BudgetUse)
const useDescription = 'Null while it cannot be read.'

/** A budget of a key with its use. */
export const UsedKeyBudget = Type.Object({
  ...KeyBudget.properties,
  use: Type.Union([...use.anyOf], { description: useDescription })
})
export type UsedKeyBudget = Static<typeof UsedKeyBudget>

/** A budget of the account or of a member with its use. */
export const AccountBudget = Type.Object({
  of: described(
    'Whether it counts all keys of the account, or those that one person created.',
    Type.Enum(['account', 'member'])
  ),
  member_id: described('Id of that person; null for a budget of the account.', orNull(Type.String())),
  ...KeyBudget.properties,
  use: Type.Union([...use.anyOf], { description: useDescription })
})
export type AccountBudget = Static<typeof AccountBudget>

export const ChangeBudgetsRequest = Type.Object(
  {
    budgets: Type.Array(AccountBudgetTerms, {
      maxItems: maxBudgets,
      description:
        'All budgets of the account and its members: others are removed. The account’s budget of a month for all models is the one of `PATCH /api/account`.'
    })
  },
  { ...closed, examples: [{ budgets: [{ of: 'account', window: 'day', limit_usd: 5 }] }] }
)
export type ChangeBudgetsRequest = Static<typeof ChangeBudgetsRequest>

export const BudgetsResponse = Type.Object({
  budgets: described('All budgets of the account and its members.', Type.Array(AccountBudget))
})
export type BudgetsResponse = Static<typeof BudgetsResponse>
