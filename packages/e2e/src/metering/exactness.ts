import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type PricedRow, pricedRows, type UsageCounts, zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import type { AccountRecord, WindowBudget } from '@tollgate/contracts/records/records.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { clientApis } from './ask.ts'
import { type Charges, chargedKinds, costOf, hasNoHolds, hasWorked, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { meteredModels } from './kinds/kind.ts'
import type { PriceBook } from './price-books.ts'
import { type Sent, senderOf, sendKinds } from './send-kinds.ts'
import { seededRandom } from './traffic.ts'

/** Tokens that the gateway reserves around a message, and for the tools of a request. */
const [aroundMessage, aroundTools] = [16, 1024]

const maxImageTokens = 2125

/** How often the model reads its prompt in a message with searches. Each time it may write the whole output. */
const messagePasses = 10

/** The gateway's limit for requests that never end. All other requests are much shorter. */
const maxRequestMs = 20000

export interface Exactness {
  /** `<kind>: <ending>` → number of requests. */
  endings: Map<string, number>
  /** One line per wrong charge. */
  faults: string[]
}

/**
 * Sends requests of all kinds to gateway processes, each with its own key. Compares the charges with the model server's
 * bill. With reported usage, the charge must be exact, in each kind of tokens and in money. Without it, the charge must
 * be between the produced and the reserved amount. It must be zero if the model did no work.
 */
export async function runExactness(
  requests: number,
  seed: number,
  gateways: number,
  book: PriceBook
): Promise<Exactness> {
  const fleet = await startFleet({
    gateways,
    catalog: book.catalog,
    env: { GATEWAY_LONGEST_REQUEST_MS: String(maxRequestMs), IDEMPOTENCY_MEMORY_MB: '256' }
  })
  try {
    const accounts = await addAccounts(fleet, book)
    return await compare(
      fleet,
      await sendKinds(fleet, [...accounts.keys()], requests, seededRandom(seed)),
      accounts,
      book
    )
  } finally {
    await fleet.stop()
  }
}

/** Accounts with what a price book says of them. */
type Accounts = ReadonlyMap<string, Partial<AccountRecord>>

const accountCount = 10

/** A model that many requests are for. */
const [budgetedModel] = Object.keys(meteredModels) as [string]
/** Budgets of each account: what they count must be what was charged. */
const budgets: WindowBudget[] = [
  { id: 1, window: 'lifetime', nanos: 1e15 },
  { id: 2, window: 'lifetime', nanos: 1e15, models: [budgetedModel] }
]

/** Describes the error in the budgets of an account; null if they are right. */
async function faultOfBudgets(
  { records }: Fleet,
  account: string,
  { settled, usage }: Pick<Charges, 'settled' | 'usage'>
): Promise<string | null> {
  const counted = (await readState(records.link.client, account)).budgets
  const rows = [...usage].filter(([name]) => name.endsWith(`|${budgetedModel}`))
  const ofModel = rows.reduce((sum, [, { costNanos }]) => sum + costNanos, 0)
  const expected = [settled, 0, ofModel, 0]
  const found = budgets.flatMap((budget) => {
    const { settled: spent = 0, reserved = 0 } = counted.get(budgetField(budget)) ?? {}
    return [spent, reserved]
  })
  const leaked = [...counted].filter(([field, { reserved }]) => field.startsWith('o') && reserved > 0)
  if (leaked.length > 0) return `${leaked.length} keys of an account have requests that run for ever`
  if (found.join() === expected.join()) return null
  return `budgets of an account have settled and reserved ${found.join(', ')} instead of ${expected.join(', ')}`
}

async function addAccounts({ records }: Fleet, book: PriceBook): Promise<Accounts> {
  const accounts = new Map<string, Partial<AccountRecord>>()
  for (let number = 0; number < accountCount; number++) {
    const record = book.accountOf(number)
    accounts.set(await records.addAccount({ ...record, budgets }), record)
  }
  return accounts
}

async function compare(fleet: Fleet, sent: readonly Sent[], accounts: Accounts, book: PriceBook): Promise<Exactness> {
  const { records, models } = fleet
  const charges = new Map<string, Charges>()
  for (const account of new Set(sent.map((one) => one.account))) {
    charges.set(account, await untilCharges(records.link, account, hasNoHolds))
  }
  const calls = Map.groupBy(models.requests(), ({ id }) => senderOf(models.body(id)))
  const bodyOf = (call: RecordedRequest) => models.body(call.id)!.toString()
  const faults: string[] = []
  const endings = new Map<string, number>()
  for (const one of sent) {
    const ofKind = `${one.kind.name}: ${one.ending}`
    endings.set(ofKind, (endings.get(ofKind) ?? 0) + 1)
    const { byKey, usage } = charges.get(one.account)!
    const row = usage.get(`${one.key}|${one.model}`)
    const charged = row ?? zeroCounts
    const of = calls.get(one.key) ?? []
    const isSame = (byKey.get(one.key) ?? 0) === charged.costNanos
    const fault = isSame
      ? faultOf(one, row, of, bodyOf, book.pricesOf(one.model, accounts.get(one.account)!))
      : 'spend and usage differ'
    if (fault !== null) {
      const bills = of.map(billed).join(' ')
      faults.push(`${ofKind}: ${fault}; charged ${JSON.stringify(nonZero(charged))}, calls ${bills}`)
    }
  }
  for (const [account, { settled, reserved, byKey, usage }] of charges) {
    const ofBudgets = await faultOfBudgets(fleet, account, { settled, usage })
    if (ofBudgets !== null) faults.push(ofBudgets)
    const sum = [...byKey.values()].reduce((all, nanos) => all + nanos, 0)
    if (settled !== sum || reserved !== 0)
      faults.push(`an account has settled ${settled} and reserved ${reserved}, its keys settled ${sum}`)
  }
  const above = await countAboveBound(fleet)
  const explained = sent.filter(({ kind }) => kind.costsMore).length
  if (above > explained) faults.push(`${above} requests cost more than their hold, ${explained} of them may`)
  return { endings, faults }
}

/** Counts the requests that cost more than was reserved for them. */
async function countAboveBound({ adminUrls }: Fleet): Promise<number> {
  let sum = 0
  for (const url of adminUrls) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, value] of text.matchAll(/^tollgate_usage_above_bound_total(?:\{.*\})? (\d+)$/gm)) sum += Number(value)
  }
  return sum
}

function billed({ status, abortedAtMs, startedAtMs, finishedAtMs, sequence, ...rest }: RecordedRequest): string {
  const { id, requestId, method, headers, bytesWritten, chunksWritten, ...bill } = rest
  return JSON.stringify({ status, aborted: abortedAtMs !== null, ...nonZero(bill) })
}

const nonZero = (counts: object) => Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0))

type Model = Catalog['models'][string]
type Prices = Model['prices']

/** Describes the error in a charge; null if the charge is right. @param row of the ledger for the request */
function faultOf(
  { ending, model, kind }: Sent,
  row: UsageCounts | undefined,
  calls: readonly RecordedRequest[],
  bodyOf: (call: RecordedRequest) => string,
  { charged: prices, billed: billedPrices }: ReturnType<PriceBook['pricesOf']>
): string | null {
  if (kind.isFree) {
    if (ending !== 'served') return 'not served'
    return row === undefined ? null : 'recorded as usage although it is free'
  }
  const charged = row ?? zeroCounts
  if (charged.errors !== Number(ending === 'failed')) return 'wrong number of failed requests'
  const answered = calls.filter(hasWorked)
  if (answered.length > 1) return 'retried after an answer had begun'
  const [call] = answered
  if (call === undefined) {
    return charged.costNanos === 0 && charged.marginNanos === 0 ? null : 'charged without an answer'
  }
  const whole = costOf(call, prices)
  const margin = whole - costOf(call, billedPrices)
  const isExact = isSame(charged, { ...countsOf(call, charged.errors, whole, prices), marginNanos: margin })
  // The gateway reads a stream to its end and gets the usage, even if the client hung up.
  if (kind.isReported && ending !== 'failed' && call.finishedAtMs !== null)
    return isExact ? null : 'not charged exactly'
  if (isExact) return null
  // A response that fails without a report of its usage is not billed, unless it has words.
  if (ending === 'served' && call.completionTokens === 0 && charged.costNanos === 0) return null
  if (charged.requests !== 1 || charged.estimatedRequests !== 1) return 'not counted as estimated'
  const body = JSON.parse(bodyOf(call)) as Record<string, unknown>
  const max = maxReservedNanos(body, clientApis[kind.api].outputLimit, { ...meteredModels[model]!, prices })
  const { toolCalls } = countsOf(call, 0, 0, prices)
  const min = Math.max(whole, charged.toolCalls * (prices.callNanos?.web_search ?? 0))
  if (charged.toolCalls < toolCalls) return 'fewer searches than billed'
  return charged.costNanos >= min && charged.costNanos <= max ? null : `not between ${min} and ${max}`
}

/** The ledger of a request, as its bill says. Of kinds that overlap, it has what is charged. */
function countsOf(call: RecordedRequest, errors: number, costNanos: number, prices: Prices): UsageCounts {
  const { prompt, output } = chargedKinds(call, prices)
  const [, cachedTokens = 0, cacheWriteTokens = 0, longCacheWriteTokens = 0, audioInput = 0, imageInput = 0] = prompt
  const [, reasoningTokens = 0, audioOutput = 0, imageOutput = 0] = output
  return {
    ...zeroCounts,
    requests: 1,
    errors,
    promptTokens: call.promptTokens,
    cachedTokens,
    completionTokens: call.completionTokens,
    reasoningTokens,
    cacheWriteTokens,
    longCacheWriteTokens,
    audioInputTokens: audioInput,
    imageInputTokens: imageInput,
    audioOutputTokens: audioOutput,
    imageOutputTokens: imageOutput,
    toolCalls: Object.values(call.toolCalls).reduce((sum, count) => sum + count, 0),
    costNanos
  }
}

/**
 * Maximum reservation of a request, nanodollars. Each byte of the body counts as a token. Each pass after a search may
 * fill the context.
 */
function maxReservedNanos(members: Record<string, unknown>, outputLimit: string | null, model: Model): number {
  const body = JSON.stringify(members)
  const { prompt, n = 1, best_of: best = 1 } = members as { prompt?: unknown; n?: number; best_of?: number }
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
  const listed = [members.messages, members.input].flatMap((list) => (Array.isArray(list) ? list : []))
  const images = body.split('image/png').length - 1
  const promptTokens =
    Buffer.byteLength(body) + aroundMessage * (listed.length + prompts) + aroundTools + images * maxImageTokens
  const granted = outputLimit === null ? model.maxOutputTokens : Number(members[outputLimit])
  const completionTokens = prompts * Math.max(n, best) * granted
  const dearest = dearestPrices(model.prices)
  const searches = grantedSearches(members)
  if (searches === 0) return costOf({ promptTokens, cachedTokens: 0, completionTokens }, dearest)
  const [passes, outputs] = 'messages' in members ? [messagePasses, messagePasses] : [searches + 1, 1]
  const bill = {
    promptTokens: Math.max(promptTokens, model.contextWindow) + (passes - 1) * model.contextWindow,
    cachedTokens: 0,
    completionTokens: completionTokens * outputs,
    toolCalls: { web_search: searches }
  }
  return costOf(bill, dearest)
}

/** The searches that the gateway allows the provider in a request. */
function grantedSearches({ tools, max_tool_calls: max }: Record<string, unknown>): number {
  const all = (Array.isArray(tools) ? tools : []) as Array<{ type: string; max_uses?: number }>
  const search = all.find(({ type }) => /^web_search/.test(type))
  return search === undefined ? 0 : (search.max_uses ?? Number(max))
}

/** Each side at the dearest price of its kinds, tiers and lengths. */
function dearestPrices({ periods = [], requestNanos = 0, callNanos = {}, ...flat }: Prices): Prices {
  const all = [flat, ...periods.flatMap(({ rows }) => rows.map((row) => row.prices))]
  const dearest = (side: PricedRow['side']) =>
    Math.max(...all.flatMap((listed) => pricedRows.map((row) => (row.side === side ? (listed[row.member] ?? 0) : 0))))
  return {
    inputPicos: dearest('input'),
    cachedInputPicos: 0,
    outputPicos: dearest('output'),
    requestNanos,
    callNanos
  }
}

function isSame(one: UsageCounts, other: UsageCounts): boolean {
  return Object.entries(other).every(([member, value]) => one[member as keyof UsageCounts] === value)
}
