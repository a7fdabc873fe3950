import { type BudgetWindow, windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import { accountName, accountShard } from '../keyspace/names.ts'
import { layouts, type Packed } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { tagOf } from '../settlement/settle.ts'
import { parseUsage, type Usage } from '../usage/usage.ts'
import { unpackParts } from '../wire/packed.ts'

/**
 * A budget with a window in Redis. Amounts are nanodollars; `window` is its number: see budget-windows.ts.
 * `corrections` says how often control corrected it since the window began.
 */
export interface SeenBudget extends Packed<typeof layouts.budget> {
  readonly field: string
}

/** Budgets of an account, and all of its usage and holds at the same moment. */
export interface SeenBudgets {
  readonly account: string
  /** µs since the epoch */
  readonly micros: number
  /** The tag of the run of Redis: rows of other runs no longer change. */
  readonly tag: string
  readonly budgets: readonly SeenBudget[]
  /** Null: of all keys. */
  readonly keys: readonly string[] | null
  readonly usages: readonly Usage[]
  /** `budgets`: the fields of the budgets that have it. */
  readonly holds: ReadonlyArray<{ at: number; nanos: number; key: string; model: string; budgets: readonly string[] }>
}

/** What budgets should have had at that moment, nanodollars. */
export interface FoundBudget {
  readonly seen: SeenBudget
  readonly settled: number
  readonly reserved: number
}

/**
 * Reads budgets of an account with all that they may count, at one moment. Missing budgets begin with 0, so that
 * settlements add to them from now on.
 *
 * @param fields from `budgetField`
 * @param keys whose usage is read, at most some hundreds: much less work for Redis; null for all
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readBudgetsAndUsage(
  link: RedisLink,
  account: string,
  fields: readonly string[],
  keys: readonly string[] | null = null
): Promise<SeenBudgets> {
  const node = link.nodeOf(accountShard(account))
  const tag = tagOf(node.run())
  const [micros, ...rest] = await node.client.tgReadBudgetsBuffer(
    accountName(account),
    fields.length,
    ...fields,
    ...new Set(keys ?? [])
  )
  const budgets = fields.map((field, index) => ({ field, ...unpackParts(layouts.budget, rest[index]!) }))
  const usages: Usage[] = []
  const holds: Array<SeenBudgets['holds'][number]> = []
  for (let n = fields.length; n < rest.length; n += 2) {
    const [field, packed] = [rest[n]!.toString(), rest[n + 1]!]
    if (field.startsWith('u:')) usages.push(parseUsage(account + field.slice(1), packed))
    else {
      // Releases before the budgets wrote no list of budgets.
      const {
        at,
        nanos,
        keyField,
        model,
        budgets: own
      } = unpackParts(layouts.hold, Buffer.concat([packed, Buffer.alloc(1)]))
      holds.push({ at, nanos, key: keyField.slice('k:'.length), model, budgets: own.split(' ') })
    }
  }
  return { account, micros: Number(micros), tag, budgets, keys, usages, holds }
}

/**
 * Corrects budgets of an account. What was settled or reserved since they were read stays.
 *
 * @returns for each whether it is right now; false if its window has ended or somebody has corrected it: read it again
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function correctBudgets(
  link: RedisLink,
  account: string,
  found: readonly FoundBudget[]
): Promise<boolean[]> {
  if (found.length === 0) return []
  const rest = found.flatMap(({ seen, settled, reserved }) => [
    seen.field,
    seen.window,
    seen.corrections,
    settled - seen.settled,
    reserved - seen.reserved
  ])
  const node = link.nodeOf(accountShard(account))
  node.run()
  const outcomes = await node.client.tgCorrectBudgets(accountName(account), ...rest)
  return outcomes.map((outcome) => outcome === 1)
}

/**
 * Removes budgets that no longer exist. Open requests that were held in them no longer count for them.
 *
 * @param fields from `budgetField`, at least one
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function forgetBudgets(link: RedisLink, account: string, fields: readonly string[]): Promise<void> {
  const node = link.nodeOf(accountShard(account))
  node.run()
  await node.client.hdel(accountName(account), ...fields)
}

/** What a budget has spent and reserved in a window, nanodollars. */
export interface BudgetCounter {
  readonly window: number
  readonly settled: number
  readonly reserved: number
}

/**
 * The counter of a budget in its present window.
 *
 * @param counter as Redis has it, which may begin the next window a little earlier than `now` says
 * @returns null if nothing was spent or reserved in that window
 */
export const presentCounter = (window: BudgetWindow, counter: BudgetCounter | null, now: Date): BudgetCounter | null =>
  counter !== null && counter.window >= windowNumber(window, now.getTime()) ? counter : null

/**
 * Reads budgets of accounts as Redis has them, in one round trip to each process.
 *
 * @param budgets by the field of the account's hash: of a budget with a window, or `k:<key>` for a key's month
 * @returns in their order, perhaps of an earlier window; null if Redis has none
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readBudgetCounters(
  link: RedisLink,
  budgets: ReadonlyArray<{ account: string; field: string }>
): Promise<Array<BudgetCounter | null>> {
  const answers = await executeAll(
    link,
    budgets,
    ({ account }) => accountShard(account),
    (pipeline, { account, field }) => pipeline.hgetBuffer(accountName(account), field)
  )
  return (answers as Array<Buffer | null>).map((packed, index) => {
    if (packed === null) return null
    if (!budgets[index]!.field.startsWith('k:')) return unpackParts(layouts.budget, packed)
    const { month, settled, reserved } = unpackParts(layouts.key, packed)
    return { window: month, settled, reserved }
  })
}
