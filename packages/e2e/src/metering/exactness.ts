import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type UsageCounts, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { WitnessedRequest } from '@tollgate/sandbox/models/witness.ts'
import { ask, hangUpAfter, hangUpAt, send } from './ask.ts'
import { planOf } from './catalog.ts'
import { type Charges, hasNoHolds, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { chooseKind, type Kind, kinds, meteredModels } from './kinds.ts'
import { costOf, hasWorked } from './produced.ts'
import { seededRandom } from './seeded-random.ts'

const accounts = 10
const clients = 24
/** For what never comes to its end; far longer than all else takes. */
const longestRequestMs = 20000

/** How a request went, as its client saw it. */
type Ending = 'served' | 'failed' | 'left'

/** A request with a key of its own, so that what it was charged stands alone. */
type Sent = { kind: Kind; key: string; account: string; model: string; ending: Ending }

export type Exactness = {
  /** How many requests of each kind ended in which way: `<kind>: <ending>`. */
  endings: Map<string, number>
  /** What is not as it should be, one line for each request. */
  faults: string[]
}

/**
 * Sends so many requests of all kinds to gateway processes, each with a key of its own, and compares what each was charged
 * with the model server's record: exactly wherever the usage was reported; else at least what was produced, and at most what
 * was reserved; nothing if the model did no work.
 */
export async function runExactness(requests: number, seed: number, gateways: number): Promise<Exactness> {
  const fleet = await startFleet({
    gateways,
    catalog: { models: meteredModels, plans: { free: planOf(meteredModels) } },
    env: { GATEWAY_LONGEST_REQUEST_MS: String(longestRequestMs) }
  })
  try {
    const sent = await sendAll(fleet, requests, seededRandom(seed))
    return await compare(fleet, sent)
  } finally {
    await fleet.stop()
  }
}

async function sendAll({ records, urls }: Fleet, count: number, random: () => number): Promise<Sent[]> {
  const ids = await Promise.all(Array.from({ length: accounts }, () => records.addAccount()))
  const sent: Sent[] = []
  const waiting: Array<() => Promise<Sent>> = []
  for (const account of ids) {
    for (const key of await records.addKeys(account, Math.ceil(count / accounts))) {
      // One of each at least.
      const kind = kinds[waiting.length] ?? chooseKind(random())
      const body = { ...kind.body(random), user: key.id }
      const url = urls[Math.floor(random() * urls.length)]!
      const parts = 1 + Math.floor(random() * 20)
      const leavesAfterMs = Math.floor(random() * 150)
      const model = String(Reflect.get(body, 'model'))
      waiting.push(async () => {
        const ending = await sendOne(url, key.secret, body, kind, parts, leavesAfterMs)
        return { kind, key: key.id, account, model, ending }
      })
    }
  }
  // Keys of all accounts at the same time.
  waiting.sort(() => random() - 0.5)
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) sent.push(await next())
    })
  )
  return sent
}

async function sendOne(
  url: string,
  secret: string,
  body: Record<string, unknown>,
  { path, reading }: Kind,
  parts: number,
  leavesAfterMs: number
): Promise<Ending> {
  if (reading === 'leaves before') {
    const signal = AbortSignal.timeout(leavesAfterMs)
    const answer = await ask(url, secret, body, { path, signal }).catch((error: Error) => error)
    return answer instanceof Error ? 'left' : answer.status === 200 ? 'served' : 'failed'
  }
  if (reading !== 'whole') {
    const response = await send(url, secret, body, { path })
    assert.equal(response.status, 200)
    const marker = reading === 'leaves at a word' ? aWord : theFinish
    const text = await (reading === 'leaves within' ? hangUpAfter(response, parts) : hangUpAt(response, marker))
    return text.includes('"code":"upstream_') ? 'failed' : 'left'
  }
  const answer = await ask(url, secret, body, { path }).catch((error: Error) => error)
  // The connection broke.
  if (answer instanceof Error || answer.status !== 200) return 'failed'
  return body.stream !== true || answer.text.endsWith('data: [DONE]\n\n') ? 'served' : 'failed'
}

const aWord = /"content":"[^"]/
const theFinish = /"finish_reason":"/

async function compare({ records, models }: Fleet, sent: readonly Sent[]): Promise<Exactness> {
  const charges = new Map<string, Charges>()
  for (const account of new Set(sent.map((one) => one.account))) {
    charges.set(account, await untilCharges(records.link, account, hasNoHolds))
  }
  const calls = Map.groupBy(
    models.requests(),
    ({ id }) => (JSON.parse(models.body(id)?.toString() ?? '{}') as { user?: string }).user ?? ''
  )
  const faults: string[] = []
  const endings = new Map<string, number>()
  for (const one of sent) {
    const ofKind = `${one.kind.name}: ${one.ending}`
    endings.set(ofKind, (endings.get(ofKind) ?? 0) + 1)
    const { byKey, usage } = charges.get(one.account)!
    const charged = usage.get(`${one.key}|${one.model}`) ?? zeroCounts
    const of = calls.get(one.key) ?? []
    const bodyOf = (call: WitnessedRequest) => models.body(call.id)!.toString()
    const fault =
      (byKey.get(one.key) ?? 0) === charged.costNanos ? faultOf(one, charged, of, bodyOf) : 'spend and usage differ'
    if (fault !== null) {
      const seen = of.map(({ status, promptTokens, cachedTokens, completionTokens, abortedAtMs }) =>
        JSON.stringify({ status, promptTokens, cachedTokens, completionTokens, aborted: abortedAtMs !== null })
      )
      faults.push(`${ofKind}: ${fault}; charged ${JSON.stringify(charged)}, calls ${seen.join(' ')}`)
    }
  }
  for (const { settled, reserved, byKey } of charges.values()) {
    const sum = [...byKey.values()].reduce((all, nanos) => all + nanos, 0)
    if (settled !== sum || reserved !== 0)
      faults.push(`an account has ${settled} settled, ${reserved} reserved, its keys ${sum}`)
  }
  return { endings, faults }
}

/** What is wrong with what a request was charged; null if nothing is. */
function faultOf(
  { ending, model, kind }: Sent,
  charged: UsageCounts,
  calls: readonly WitnessedRequest[],
  bodyOf: (call: WitnessedRequest) => string
): string | null {
  if (charged.errors !== Number(ending === 'failed')) return 'wrong count of failures'
  const { prices } = meteredModels[model]!
  const answered = calls.filter(hasWorked)
  if (answered.length > 1) return 'called again after an answer had begun'
  const [call] = answered
  if (call === undefined) return charged.costNanos === 0 ? null : 'charged without an answer'
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = call
  const whole = costOf(call, prices)
  const exact = {
    ...zeroCounts,
    requests: 1,
    errors: charged.errors,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    costNanos: whole
  }
  const isExact = isSame(charged, exact)
  const isReported = !/^usage|, usage/.test(kind.name)
  // What reads to the end of a stream reads its usage, whether or not its client is still there.
  if (isReported && ending !== 'failed' && call.finishedAtMs !== null) return isExact ? null : 'not charged exactly'
  if (isExact) return null
  if (charged.requests !== 1 || charged.estimatedRequests !== 1) return 'not counted as estimated'
  const most = mostOf(bodyOf(call), prices)
  return charged.costNanos >= whole && charged.costNanos <= most ? null : `not within ${whole} and ${most}`
}

/** What can have been reserved for a request at most, nanodollars: each byte that was sent counts as a token. */
function mostOf(body: string, prices: Catalog['models'][string]['prices']): number {
  const {
    max_tokens: granted,
    n = 1,
    best_of: best = 1,
    prompt,
    messages = []
  } = JSON.parse(body) as {
    max_tokens: number
    n?: number
    best_of?: number
    prompt?: unknown
    messages?: unknown[]
  }
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
  const promptTokens = Buffer.byteLength(body) + 16 * (messages.length + prompts)
  return costOf({ promptTokens, cachedTokens: 0, completionTokens: prompts * Math.max(n, best) * granted }, prices)
}

function isSame(one: UsageCounts, other: UsageCounts): boolean {
  return Object.entries(other).every(([member, value]) => one[member as keyof UsageCounts] === value)
}
