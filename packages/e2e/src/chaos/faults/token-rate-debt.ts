import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../../metering/ask.ts'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import type { Findings } from '../measure/measured.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { untilCopied } from '../measure/until-settled.ts'
import { meteredTokens, modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts, untilProjected } from '../system/seed.ts'
import type { Conditions } from '../system/servers.ts'
import { countOutcomes, questionTo } from '../traffic/send-steadily.ts'

/** A prompt whose bytes are nearly all tokens. It is estimated at a quarter of them at least, and at 2 of 5 at most. */
const promptBytes = 6000
/** Those of the plan. */
const [perMs, burst] = [meteredTokens / 60_000, meteredTokens / 6]
/**
 * Requests that run together are corrected when they end. Their estimates fit the burst, and what flows in meanwhile.
 */
const uncorrectedMs = 3000
const maxBeyond = 4 * (burst + perMs * uncorrectedMs)
const maxWaitMs = maxBeyond / perMs
/** Pays for four prompts. */
const capNanos = 25_000_000
/** Redis is killed while at least so much is owed. */
const owedMs = 10_000
const owedTimeoutMs = 30_000
const downMs = 1000
const lastsMs = 60_000
const workers = 4
const pauseMs = 300
/** Gateways measure different bytes per token, and estimate the same prompt differently. */
const toleranceMs = 1500
const maxWaits = 2
const projectedTimeoutMs = 60_000

/** Redis keeps what it acknowledged, so the debt stays. */
const conditions: Conditions = { keys: 200, redisPersists: true }

interface Answered {
  readonly sentAt: number
  readonly outcome: string
  /** How long a refused request should wait, ms; 0 for others. */
  readonly retryAfterMs: number
}

/**
 * Prompts have far more tokens than estimated. What the rate lets pass too much is owed, also by a Redis that restarts
 * meanwhile.
 */
export const tokenRateDebt: Fault = {
  name: 'token-rate-debt',
  summary: 'prompts have 2.5 times the tokens of their estimate; Redis is killed while tokens are owed, and restarted',
  conditions,
  allowed: { refusals: ['503 state_unavailable'] },
  async inject(system, _loseData, findings) {
    const { sql, link, redis } = system
    const [open] = await seedAccounts(sql, { count: 1, keysEach: 1, plan: 'metered' })
    const [capped] = await seedAccounts(sql, { count: 1, keysEach: 1, plan: 'metered', ownCapNanos: capNanos })
    await untilProjected(sql, link, projectedTimeoutMs)
    const beganAt = performance.now()
    const ofOpen = startTraffic(system, open!, 'watched')
    const ofCapped = startTraffic(system, capped!, 'ordinary')
    let owed: Answered
    try {
      owed = await untilOwed(ofOpen.answered)
      await redis.kill('SIGKILL')
      await delay(downMs)
      await redis.start('kept')
      await delay(beganAt + lastsMs - performance.now())
    } finally {
      await Promise.all([ofOpen.stop(), ofCapped.stop()])
    }
    checkDebt(system, owed, ofOpen.answered, findings)
    await checkWaits(system, open!, findings)
    await checkMoney(system, open!, 'watched', findings)
    await checkMoney(system, capped!, 'ordinary', findings)
    if (!ofCapped.answered.some(({ outcome }) => outcome.startsWith('402')))
      findings.broken.push('the capped account did not reach its cap, so this run shows nothing')
  }
}

/** Asks all gateways, in several requests at once, without waiting as long as refusals say. */
function startTraffic(
  { gateways }: ChaosSystem,
  account: SeededAccount,
  model: 'watched' | 'ordinary'
): { readonly answered: readonly Answered[]; stop(): Promise<void> } {
  const answered: Answered[] = []
  const stopping = new AbortController()
  const working = Array.from({ length: workers }, async (_, worker) => {
    for (let number = worker; !stopping.signal.aborted; number++) {
      answered.push(await askDense(gateways[number % gateways.length]!.url, account, model))
      await delay(pauseMs)
    }
  })
  return {
    answered,
    async stop() {
      stopping.abort()
      await Promise.all(working)
    }
  }
}

/**
 * Most hieroglyphs have four bytes and four tokens. The answer takes a while, so requests are admitted together. Never
 * throws.
 */
async function askDense(gateway: string, { keys }: SeededAccount, model: string): Promise<Answered> {
  const signs = Array.from({ length: promptBytes / 4 }, () => 0x13000 + Math.floor(Math.random() * 0x42f))
  const text = `[sandbox+first-byte-ms=500] Say 2 words. ${String.fromCodePoint(...signs)}`
  const sentAt = performance.now()
  const body = questionTo('chat', { model, stream: false, maxTokens: 16, text })
  try {
    const { status, headers, error } = await ask(gateway, keys[0]!.secret, body)
    const outcome = error === null ? String(status) : `${status} ${error.code}`
    return { sentAt, outcome, retryAfterMs: Number(headers.get('retry-after-ms')) }
  } catch {
    return { sentAt, outcome: 'broken', retryAfterMs: 0 }
  }
}

const isRefused = ({ outcome }: Answered): boolean => outcome === '429 tokens_per_minute'

/** @returns a refusal that says that much is owed. @throws Error if none comes */
async function untilOwed(answered: readonly Answered[]): Promise<Answered> {
  for (const deadline = performance.now() + owedTimeoutMs; performance.now() < deadline; await delay(pauseMs)) {
    const last = answered.at(-1)
    if (last !== undefined && isRefused(last) && last.retryAfterMs >= owedMs) return last
  }
  throw new Error(`no request had to wait for ${owedMs} ms: ${describe(countOutcomes(answered))}`)
}

/** What was served in every window, and what the refusals said. */
function checkDebt(
  { models }: ChaosSystem,
  owed: Answered,
  answered: readonly Answered[],
  { seen, broken }: Findings
): void {
  const served = models
    .requests()
    .filter((request) => modelOf(request) === 'watched' && request.status === 200)
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs)
    .map(({ startedAtMs, promptTokens, completionTokens }) => ({
      startedAtMs,
      tokens: promptTokens + completionTokens
    }))
  let [beyond, most] = [0, 0]
  for (const [from, { startedAtMs: beganAtMs }] of served.entries()) {
    let tokens = 0
    for (const one of served.slice(from)) {
      tokens += one.tokens
      const elapsedMs = one.startedAtMs - beganAtMs
      beyond = Math.max(beyond, tokens - elapsedMs * perMs)
      if (elapsedMs <= 60_000) most = Math.max(most, tokens)
    }
  }
  const total = served.reduce((sum, { tokens }) => sum + tokens, 0)
  const longestMs = Math.max(...answered.filter(isRefused).map(({ retryAfterMs }) => retryAfterMs))
  seen.push(`answers                          ${describe(countOutcomes(answered))}`)
  seen.push(`tokens served                    ${total}, ${most} in a minute (limit ${meteredTokens})`)
  seen.push(`most tokens beyond the rate      ${Math.round(beyond)} of at most ${maxBeyond}`)
  seen.push(`longest Retry-After              ${longestMs} ms`)
  if (beyond > maxBeyond) broken.push(`${Math.round(beyond)} tokens beyond the rate were served in one window`)
  if (longestMs > maxWaitMs) broken.push(`a request was told to wait for ${longestMs} ms`)
  const unexpected = answered.filter((one) => !isRefused(one) && !/^(200|503 state_unavailable)$/.test(one.outcome))
  if (unexpected.length > 0) broken.push(`unexpected answers: ${describe(countOutcomes(unexpected))}`)
  // The restart of Redis forgives nothing.
  const mayAt = owed.sentAt + owed.retryAfterMs
  const early = answered.filter(
    ({ sentAt, outcome }) => outcome === '200' && sentAt > owed.sentAt && sentAt < mayAt - toleranceMs
  )
  if (early.length > 0) broken.push(`${early.length} requests were served before the debt at the restart was paid`)
}

/** Once an account sends nothing else, `Retry-After` is right: one wait for tokens, one for requests. */
async function checkWaits(
  { gateways }: ChaosSystem,
  account: SeededAccount,
  { seen, broken }: Findings
): Promise<void> {
  let [waits, waitedMs] = [0, 0]
  let answer = await askDense(gateways[0]!.url, account, 'watched')
  for (; isRefused(answer) && waits < maxWaits; waits++) {
    await delay(answer.retryAfterMs)
    waitedMs += answer.retryAfterMs
    answer = await askDense(gateways[waits % gateways.length]!.url, account, 'watched')
  }
  seen.push(`then, alone, waited              ${waits} times, ${waitedMs} ms`)
  if (answer.outcome !== '200') broken.push(`after ${waits} waits of Retry-After, the account got ${answer.outcome}`)
}

async function checkMoney(
  system: ChaosSystem,
  { id }: SeededAccount,
  model: string,
  { seen, broken }: Findings
): Promise<void> {
  await untilCopied(system, id)
  const produced = producedIn(system.models.requests().filter((request) => modelOf(request) === model)).nanos
  const charged = (await chargedIn(system.sql, id)).nanos
  const isCapped = model === 'ordinary'
  seen.push(`${isCapped ? 'capped' : 'open'} account, billed and charged  ${produced} and ${charged} nanodollars`)
  if (produced !== charged) broken.push(`${produced} nanodollars were billed, and ${charged} charged`)
  if (isCapped && produced > capNanos) broken.push(`${produced} nanodollars were served under a cap of ${capNanos}`)
}
