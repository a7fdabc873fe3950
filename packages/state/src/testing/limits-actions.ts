import fc from 'fast-check'
import type { Allowances, CostBound } from '../admission/admit.ts'
import { budgetFields, countsInTests } from './windows-model.ts'

/** What happens to a command and its answer. A `swallowed` command was sent, but not executed. */
export type Delivery = 'answered' | 'executed' | 'swallowed' | 'unsent'
export interface Usage {
  share: number
  failed: boolean
  estimated: boolean
}

/** A request, with the numbers of its account, key and model. */
export interface RequestContent {
  account: number
  key: number
  model: number
  bound: CostBound
}

/** An action of a gateway, of control, of the operator or of time. */
export type Action =
  | ({ do: 'admit'; delivery: Delivery; holdMs: number } & RequestContent)
  | { do: 'together'; requests: ReadonlyArray<RequestContent>; holdMs: number }
  | { do: 'again' | 'late' | 'crash'; pick: number }
  | { do: 'refuse'; account: number; as: 'outdated' | 'ended' }
  | { do: 'cancel'; account: number; most: number; delivery: Delivery }
  | { do: 'settle'; account: number; most: number; delivery: Delivery; usage: Usage }
  | { do: 'settle both'; most: number; delivery: Delivery; usage: Usage }
  | { do: 'reap'; account: number; most: number }
  | { do: 'pass'; millis: number }
  | { do: 'terms'; account: number; allowances: Allowances }
  | { do: 'copy' | 'dump' | 'verify' | 'month' }
  | { do: 'restart'; from: 'present' | 'dump' | 'nothing' }

const account = fc.nat({ max: 1 })
const delivery = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Delivery>('answered') },
  { weight: 1, arbitrary: fc.constantFrom<Delivery>('executed', 'swallowed', 'unsent') }
)
const bounds: fc.Arbitrary<CostBound> = fc
  .record({
    promptPicos: fc.oneof(fc.nat({ max: 400_000 }), fc.constantFrom(0, 999, 1000, 1001, 2000)),
    promptTokens: fc.nat({ max: 300 }),
    outputPicos: fc.oneof(fc.constantFrom(0, 1, 500, 1000), fc.nat({ max: 20_000 })),
    outputTokens: fc.nat({ max: 3 }),
    wantedTokens: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 200 })),
    minTokens: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 200 }))
  })
  .map((bound) => ({ ...bound, minTokens: Math.min(bound.minTokens, bound.wantedTokens) }))
const request = { account, key: fc.nat({ max: 1 }), model: fc.nat({ max: 1 }), bound: bounds }
const holdMs = fc.integer({ min: 1, max: 90_000 })
const orNone = (limit: fc.Arbitrary<number>) => fc.option(limit, { nil: null })
/** Also very small amounts, so requests often need exactly as much. */
const amount = (max: number) => fc.oneof(fc.nat({ max }), fc.nat({ max: 8 }))
/** In the months of these tests, and in others. */
const adjustments = fc.option(
  fc.record({ month: fc.constantFrom(202_701, 202_702, 202_703), nanos: fc.integer({ min: -10_000, max: 10_000 }) })
)
// Low enough that each limit refuses some requests.
const allowances: fc.Arbitrary<Allowances> = fc
  .record({
    keyBudgetNanos: orNone(amount(15_000)),
    accountBudgetNanos: amount(25_000),
    adjusted: adjustments,
    keyRequests: orNone(fc.integer({ min: 1, max: 7 })),
    keyRequestBurst: fc.integer({ min: 1, max: 7 }),
    requests: fc.integer({ min: 1, max: 13 }),
    requestBurst: fc.integer({ min: 1, max: 13 }),
    tokens: fc.integer({ min: 100, max: 5000 }),
    tokenBurst: fc.integer({ min: 1, max: 5000 }),
    concurrentRequests: fc.integer({ min: 1, max: 8 }),
    requestNanos: amount(5000),
    windows: fc
      .tuple(fc.subarray([...budgetFields]), fc.subarray([...countsInTests]))
      .chain(([budgets, counts]) =>
        fc.tuple(
          ...budgets.map((field) => fc.record({ field: fc.constant(field), limit: amount(20_000) })),
          ...counts.map((field) =>
            fc.record({ field: fc.constant(field), limit: fc.nat({ max: field.startsWith('t') ? 1000 : 5 }) })
          )
        )
      )
  })
  .map((all) => ({
    ...all,
    keyRequestBurst: all.keyRequests && Math.min(all.keyRequestBurst, all.keyRequests),
    requestBurst: Math.min(all.requestBurst, all.requests),
    tokenBurst: Math.min(all.tokenBurst, all.tokens)
  }))
const usage = fc.record({
  share: fc.double({ min: 0, max: 1.3, noNaN: true }),
  failed: fc.boolean(),
  estimated: fc.boolean()
})
const days = 86_400_000
export const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('admit'), ...request, delivery, holdMs })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('together'),
        requests: fc.array(fc.record(request), { minLength: 2, maxLength: 6 }),
        holdMs
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('settle both'),
        most: fc.integer({ min: 1, max: 4 }),
        delivery,
        usage
      })
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('again', 'late', 'late', 'crash'), pick: fc.nat({ max: 50 }) })
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('refuse'), account, as: fc.constantFrom('outdated', 'ended') })
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('cancel'), account, most: fc.integer({ min: 1, max: 3 }), delivery })
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('settle'),
        account,
        most: fc.integer({ min: 1, max: 4 }),
        delivery,
        usage
      })
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reap'), account, most: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant('pass'),
        millis: fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
          { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 * 3_600_000 }) },
          { weight: 1, arbitrary: fc.integer({ min: -60_000, max: 32 * days }) },
          { weight: 1, arbitrary: fc.integer({ min: -120_000, max: 0 }) }
        )
      })
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('terms'), account, allowances }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('copy', 'dump', 'verify', 'verify', 'month') }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('restart'),
        from: fc.constantFrom('present', 'present', 'dump', 'nothing')
      })
    }
  ) as fc.Arbitrary<Action>,
  { minLength: 20, maxLength: 120, size: 'max' }
)
