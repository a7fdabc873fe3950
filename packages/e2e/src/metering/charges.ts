import { setTimeout as delay } from 'node:timers/promises'
import { forEachCounter, type UsageCounts, zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import {
  type ListedPrices,
  type ModelPrices,
  type PriceRow,
  standardTier
} from '@tollgate/contracts/prices/model-prices.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { parseState } from '@tollgate/state/testing/account-state.ts'

/** An open hold. */
export interface Hold {
  id: string
  nanos: number
  model: string
}

/** An account's settled charges and open holds in Redis. Amounts are nanodollars. */
export interface Charges {
  settled: number
  reserved: number
  /** Settled amount of each key. */
  byKey: ReadonlyMap<string, number>
  /** Counters by `<key>|<model>`. */
  usage: ReadonlyMap<string, UsageCounts>
  holds: Hold[]
}

export async function readCharges({ client }: RedisNode, account: string): Promise<Charges> {
  const state = parseState(await client.hgetallBuffer(accountName(account)))
  return {
    settled: state.account?.settled ?? Number.NaN,
    reserved: state.account?.reserved ?? Number.NaN,
    byKey: new Map([...state.keys].map(([key, { settled }]) => [key, settled])),
    usage: addUp(state.usage),
    holds: [...state.holds].map(([id, { nanos, model }]) => ({ id, nanos, model }))
  }
}

/** @param usage by `<hour>:<run>|<key>|<model>` */
function addUp(usage: ReadonlyMap<string, UsageCounts>): Map<string, UsageCounts> {
  const sums = new Map<string, UsageCounts>()
  for (const [name, row] of usage) {
    const of = name.slice(name.indexOf('|') + 1)
    sums.set(of, plus(sums.get(of) ?? zeroCounts, row))
  }
  return sums
}

const plus = (one: Readonly<UsageCounts>, other: Readonly<UsageCounts>): UsageCounts =>
  forEachCounter((counter) => one[counter] + other[counter])

/** Sums the counters of one model, or of all. */
export function sumUsage({ usage }: Charges, model: string | null = null): UsageCounts {
  const of = [...usage].flatMap(([name, counters]) => (model === null || name.endsWith(`|${model}`) ? [counters] : []))
  return of.reduce(plus, { ...zeroCounts })
}

const pollMs = 20

/**
 * Waits until an account's charges satisfy a condition.
 *
 * @throws Error after 30 s without any change, with the charges at that time
 */
export async function untilCharges(
  link: RedisNode,
  account: string,
  isReached: (charges: Charges) => boolean
): Promise<Charges> {
  let deadline = 0
  let last = ''
  for (;;) {
    const charges = await readCharges(link, account)
    if (isReached(charges)) return charges
    const now = `${charges.settled} ${charges.reserved} ${charges.holds.length}`
    if (now !== last) deadline = performance.now() + 30_000
    last = now
    if (performance.now() > deadline) {
      const { settled, reserved, holds } = charges
      throw new Error(`still settled ${settled}, reserved ${reserved}, holds ${JSON.stringify(holds.slice(0, 5))}`)
    }
    await delay(pollMs)
  }
}

export const hasNoHolds = ({ holds }: Charges): boolean => holds.length === 0

/** What the model server bills for a request. Absent kinds are 0. */
type Bill = Pick<RecordedRequest, 'promptTokens' | 'cachedTokens' | 'completionTokens'> &
  Partial<Omit<RecordedRequest, 'promptTokens' | 'cachedTokens' | 'completionTokens'>>

type Part = readonly [tokens: number, picos: number | undefined]

/**
 * The amount of a bill in nanodollars, rounded up. Computed in integers, without the code under test.
 *
 * @param prices without times: at most one period
 */
export function costOf(bill: Bill, prices: ModelPrices): number {
  const { toolCalls = {} } = bill
  const listed = listedFor(bill, prices)
  const { requestNanos = 0, callNanos = {} } = prices
  const [input, output] = sidesOf(bill, listed)
  const dearestCall = Math.max(0, ...Object.values(callNanos))
  const calls = Object.entries(toolCalls).reduce(
    (nanos, [type, count]) => nanos + count * (callNanos[type] ?? dearestCall),
    0
  )
  return Number((picosOf(input) + picosOf(output) + 999n) / 1000n) + requestNanos + calls
}

/** What a bill charges of each kind of the prompt and of the output: first the plain tokens, then the kinds. */
export function chargedKinds(bill: Bill, prices: ModelPrices): { prompt: number[]; output: number[] } {
  const [input, output] = sidesOf(bill, listedFor(bill, prices))
  return { prompt: input.map(({ tokens }) => tokens), output: output.map(({ tokens }) => tokens) }
}

const sidesOf = (bill: Bill, listed: ListedPrices) =>
  [
    chargedSide(bill.promptTokens, listed.inputPicos, [
      [bill.cachedTokens, listed.cachedInputPicos],
      [bill.cacheWriteTokens ?? 0, listed.cacheWritePicos],
      [bill.cacheWriteLongTokens ?? 0, listed.longCacheWritePicos],
      [bill.audioPromptTokens ?? 0, listed.audioInputPicos],
      [bill.imagePromptTokens ?? 0, listed.imageInputPicos ?? listed.inputPicos]
    ]),
    chargedSide(bill.completionTokens, listed.outputPicos, [
      [bill.reasoningTokens ?? 0, listed.reasoningPicos ?? listed.outputPicos],
      [bill.audioCompletionTokens ?? 0, listed.audioOutputPicos],
      [bill.imageCompletionTokens ?? 0, listed.imageOutputPicos]
    ])
  ] as const

/**
 * The prices of the tier that served a request, for the length of its prompt. A tier without prices costs the standard
 * ones.
 */
function listedFor({ promptTokens, serviceTier = null }: Bill, prices: ModelPrices): ListedPrices {
  const rows = prices.periods?.[0]?.rows
  if (rows === undefined) return prices
  const ofTier = rows.filter(({ tier }) => tier === serviceTier)
  const open = ofTier.length > 0 ? ofTier : rows.filter(({ tier }) => tier === standardTier)
  const reached = open.filter(({ abovePromptTokens: above }) => above === 0 || promptTokens > above)
  return reached.reduce((one: PriceRow, other) => (other.abovePromptTokens > one.abovePromptTokens ? other : one))
    .prices
}

/**
 * A kind without a price costs the dearest price of its side. If parts overlap, each token counts as the dearest of its
 * kinds.
 */
function chargedSide(whole: number, plainPicos: number, parts: readonly Part[]): ChargedKind[] {
  const dearest = Math.max(plainPicos, ...parts.map(([, picos]) => picos ?? 0))
  const plain = whole - parts.reduce((sum, [tokens]) => sum + tokens, 0)
  const all: Part[] = [[Math.max(0, plain), plainPicos], ...parts]
  const kinds = all.map(([tokens, picos = dearest]): ChargedKind => ({ tokens, picos }))
  let left = whole
  for (const kind of [...kinds].sort((one, other) => other.picos - one.picos)) {
    kind.tokens = Math.min(kind.tokens, left)
    left -= kind.tokens
  }
  return kinds
}

interface ChargedKind {
  tokens: number
  readonly picos: number
}

const picosOf = (kinds: readonly ChargedKind[]): bigint =>
  kinds.reduce((sum, { tokens, picos }) => sum + BigInt(tokens) * BigInt(picos), 0n)

const isCount = (endpoint: string): boolean => /\/(count_tokens|input_tokens)$/.test(endpoint)

/**
 * Whether the model worked on a call: it answered, or has not finished. A reset call has finished without a status.
 * Gateways also read the list of models, to check their credentials, and clients count prompts and read stored
 * responses for free.
 */
export function hasWorked({ method, endpoint, status, finishedAtMs }: RecordedRequest): boolean {
  return method === 'POST' && !isCount(endpoint) && (status === 200 || (status === null && finishedAtMs === null))
}

/** Cost of the model server's work in these calls, nanodollars. */
export function producedNanos(requests: readonly RecordedRequest[], prices: ModelPrices): number {
  return requests.filter(hasWorked).reduce((sum, request) => sum + costOf(request, prices), 0)
}
