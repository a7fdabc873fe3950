import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type UsageCounts, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { ask, hangUpAfter, hangUpAt, send } from './ask.ts'
import { planOf } from './catalog.ts'
import { type Charges, hasNoHolds, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { chooseKind, type Kind, kinds, meteredModels } from './kinds.ts'
import { costOf, hasWorked } from './produced.ts'
import { seededRandom } from './seeded-random.ts'

const accounts = 10
const clients = 24
/** The gateway's limit for requests that never end. All other requests are much shorter. */
const maxRequestMs = 20000

/** How a request ended for its client. */
type Ending = 'served' | 'failed' | 'hung up'

/** A request with its own key, so that its charge can be told apart. */
interface Sent {
  kind: Kind
  key: string
  account: string
  model: string
  ending: Ending
}

export interface Exactness {
  /** `<kind>: <ending>` → number of requests. */
  endings: Map<string, number>
  /** One line per wrong charge. */
  faults: string[]
}

/**
 * Sends requests of all kinds to gateway processes, each with its own key. Compares the charges with the model server's
 * records. With reported usage, the charge must be exact. Without it, the charge must be between the produced and the
 * reserved amount. It must be zero if the model did no work.
 */
export async function runExactness(requests: number, seed: number, gateways: number): Promise<Exactness> {
  const fleet = await startFleet({
    gateways,
    catalog: { models: meteredModels, plans: { free: planOf(meteredModels) } },
    env: { GATEWAY_LONGEST_REQUEST_MS: String(maxRequestMs) }
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
      // Each kind at least once.
      const kind = kinds[waiting.length] ?? chooseKind(random())
      const body = { ...kind.body(random), user: key.id }
      const url = urls[Math.floor(random() * urls.length)]!
      const parts = 1 + Math.floor(random() * 20)
      const hangsUpAfterMs = Math.floor(random() * 150)
      const model = String(Reflect.get(body, 'model'))
      waiting.push(async () => {
        const ending = await sendOne(url, key.secret, body, kind, parts, hangsUpAfterMs)
        return { kind, key: key.id, account, model, ending }
      })
    }
  }
  // Mixes the keys of all accounts.
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
  hangsUpAfterMs: number
): Promise<Ending> {
  if (reading === 'hangs up before the answer') {
    const signal = AbortSignal.timeout(hangsUpAfterMs)
    const answer = await ask(url, secret, body, { path, signal }).catch((error: Error) => error)
    return answer instanceof Error ? 'hung up' : answer.status === 200 ? 'served' : 'failed'
  }
  if (reading !== 'whole') {
    const response = await send(url, secret, body, { path })
    assert.equal(response.status, 200)
    const marker = reading === 'hangs up at a word' ? aWord : theFinish
    const text = await (reading === 'hangs up at random' ? hangUpAfter(response, parts) : hangUpAt(response, marker))
    return text.includes('"code":"upstream_') ? 'failed' : 'hung up'
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
    const bodyOf = (call: RecordedRequest) => models.body(call.id)!.toString()
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
      faults.push(`an account has settled ${settled} and reserved ${reserved}, its keys settled ${sum}`)
  }
  return { endings, faults }
}

/** Describes the error in a charge; null if the charge is right. */
function faultOf(
  { ending, model, kind }: Sent,
  charged: UsageCounts,
  calls: readonly RecordedRequest[],
  bodyOf: (call: RecordedRequest) => string
): string | null {
  if (charged.errors !== Number(ending === 'failed')) return 'wrong number of failed requests'
  const { prices } = meteredModels[model]!
  const answered = calls.filter(hasWorked)
  if (answered.length > 1) return 'retried after an answer had begun'
  const [call] = answered
  if (call === undefined) return charged.costNanos === 0 ? null : 'charged without an answer'
  const { promptTokens, cachedTokens, audioPromptTokens, completionTokens, reasoningTokens } = call
  const whole = costOf(call, prices)
  const exact = {
    ...zeroCounts,
    requests: 1,
    errors: charged.errors,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    audioInputTokens: audioPromptTokens,
    costNanos: whole
  }
  const isExact = isSame(charged, exact)
  const isReported = !/^usage|, usage/.test(kind.name)
  // The gateway reads a stream to its end and gets the usage, even if the client hung up.
  if (isReported && ending !== 'failed' && call.finishedAtMs !== null) return isExact ? null : 'not charged exactly'
  if (isExact) return null
  if (charged.requests !== 1 || charged.estimatedRequests !== 1) return 'not counted as estimated'
  const max = maxReservedNanos(bodyOf(call), prices)
  return charged.costNanos >= whole && charged.costNanos <= max ? null : `not between ${whole} and ${max}`
}

/** Maximum reservation of a request, nanodollars. Each byte of the body counts as a token. */
function maxReservedNanos(body: string, prices: Catalog['models'][string]['prices']): number {
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
