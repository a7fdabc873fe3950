import fc from 'fast-check'
import { statuses } from './subscriptions.ts'

/** An action of one customer or the operator. Numbers choose among the objects that exist then. */
export type Step =
  | { do: 'buy'; price: string }
  | { do: 'switch'; which: number; price: string }
  | { do: 'cancel later'; which: number; isLater: boolean }
  | { do: 'cancel'; which: number }
  | { do: 'fail to pay'; which: number }
  | { do: 'set status'; which: number; status: (typeof statuses)[number] }
  /** The operator sets or removes the plan at the identity provider. */
  | { do: 'set plan'; plan: string | null }
  /** Some events reach a replica at once, in any order, some twice, some never. */
  | { do: 'deliver'; events: Array<{ which: number; replica: number }> }
  /** Both replicas write plans to the identity provider. */
  | { do: 'write' }

/** The end: the missing events arrive, or never do and the comparison finds the changes. */
export interface History {
  steps: Step[]
  ending: 'delivered' | 'compared'
  order: number[]
}

const which = fc.nat({ max: 30 })
const price = fc.constantFrom('price_pro_monthly', 'price_pro_yearly', 'price_team_monthly', 'price_team_yearly')
const delivery = fc.record({ which, replica: fc.nat({ max: 1 }) })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('buy' as const), price }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch' as const), which, price }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel later' as const), which, isLater: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail to pay' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('set status' as const), which, status: fc.constantFrom(...statuses) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set plan' as const), plan: fc.constantFrom('enterprise', null) })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      events: fc.array(delivery, { minLength: 1, maxLength: 5 })
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write' as const) }) }
)

export const histories: fc.Arbitrary<History> = fc.record({
  steps: fc
    .tuple(fc.record({ do: fc.constant('buy' as const), price }), fc.array(step, { minLength: 3, maxLength: 9 }))
    .map(([first, rest]) => [first, ...rest]),
  ending: fc.constantFrom('delivered', 'compared'),
  order: fc.array(fc.nat(), { minLength: 20, maxLength: 20 })
})
