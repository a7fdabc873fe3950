import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { Findings } from '../measure/measured.ts'
import { producedIn } from '../measure/produced-and-charged.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts, untilProjected } from '../system/seed.ts'
import { questionTo, rawAsk, type Sent } from '../traffic/send-steadily.ts'

const accountsCount = 60
const pauseMs = 100
const pollMs = 50
const timeoutMs = 60_000
const projectedTimeoutMs = 60_000
const quick = questionTo('chat', { model: 'watched', stream: false, maxTokens: 40, text: 'Say 40 words.' })

/** Eight seconds. */
const slow = questionTo('chat', { model: 'slow', stream: true, maxTokens: 200, text: 'Say 200 words.' })

const limitNanos = 12_000_000
/** What a raised limit leaves, and how much of it is left when control is killed. */
const [moreNanos, restNanos] = [12_000_000, 3_000_000]
/** Before the streams begin. Together they cost more than the rest of the limit. */
const spentBefore = 0.6 * limitNanos
const streams = 40
/** From the sum that reaches the limit until every gateway refuses. */
const promisedMs = 5000
const watchedMs = 5000
const outageMs = 3000
const maxRandomMs = 1500
const dayMs = 86_400_000
/** Longer than the fault takes. */
const restOfDayMs = 5 * 60_000
const closed = '402 free_spend_exhausted'

const variable = (nanos: number) => ({ FREE_SPEND_USD_PER_DAY: String(nanos / 1e9) })
const endsSoon = () => dayMs - (Date.now() % dayMs) < restOfDayMs
const someMs = () => Math.round(Math.random() * maxRandomMs)

/**
 * Free accounts reach the limit of all of them, while control and Redis fail at the worst moments. Accounts that pay
 * notice nothing.
 */
export const freeSpend: Fault = {
  name: 'free-spend',
  summary:
    'free accounts reach their limit for the day; all replicas of control are killed and Redis loses its data meanwhile',
  conditions: { plan: 'pro', keys: 1000, variables: variable(limitNanos) },
  // Two replicas are killed twice. Each sends four mails at once.
  allowed: { refusals: ['503 state_unavailable'], redisLosesData: true, mailsRepeated: 16 },
  missing: () => (endsSoon() ? 'the day (UTC) ends soon' : null),
  async inject(system, loseData, { seen, broken }) {
    const free = await startFreeTraffic(system)
    try {
      const closedAt = await closeWithStreams(system, free, { seen, broken })
      await loseData(() => system.redis.kill('SIGKILL'))
      await delay(outageMs)
      await system.redis.start('empty')
      await delay(watchedMs)
      const served = free.servedSince(closedAt)
      seen.push(`free requests served while closed ${served}`)
      if (served > 0)
        broken.push(`${served} requests of free accounts were served after every gateway had refused them`)
      const raisedNanos = free.spentNanos() + moreNanos
      await raise(system, free, raisedNanos, { seen, broken })
      await passLimit(system, free, raisedNanos, { seen, broken })
    } finally {
      await free.stop()
    }
  }
}

/**
 * The streams that close the offer end while control is away, so the ledger lacks them when it starts again.
 *
 * @returns since when every gateway refuses free accounts
 */
async function closeWithStreams(system: ChaosSystem, free: FreeTraffic, { seen, broken }: Findings): Promise<number> {
  await free.untilSpent(spentBefore)
  const begunAt = performance.now()
  const { ended } = free.startStreams(streams)
  const closedMs = await free.untilAll(closed, begunAt)
  const closedAt = begunAt + closedMs
  seen.push(`closed after the sum reached it    ${closedMs} ms`)
  if (closedMs > promisedMs) broken.push(`the free offer was closed only after ${closedMs} ms`)
  await delay(Math.max(0, Math.min(someMs(), promisedMs - closedMs)))
  await killControl(system)
  await ended
  await delay(someMs())
  await startControl(system)
  await delay(watchedMs)
  const spent = free.spentNanos()
  seen.push(`spent by then                     ${spent} nanodollars of ${limitNanos}`)
  if (spent < limitNanos) broken.push('free accounts spent less than the limit, so this run shows nothing')
  return closedAt
}

/** An operator raises the limit, and restarts control. */
async function raise(
  system: ChaosSystem,
  free: FreeTraffic,
  raisedNanos: number,
  { seen, broken }: Findings
): Promise<void> {
  system.changeVariables(variable(raisedNanos))
  const from = performance.now()
  await Promise.all(system.controls.map(({ part }) => part.restart()))
  const startedMs = performance.now() - from
  const servedMs = Math.max(0, Math.round((await free.untilAll('200', from)) - startedMs))
  seen.push(`served after the limit was raised ${servedMs} ms`)
  if (servedMs > promisedMs)
    broken.push(`after the limit was raised, free accounts were served only after ${servedMs} ms`)
}

/** Control is away while free accounts pass the limit, so nothing closes until it is back. */
async function passLimit(
  system: ChaosSystem,
  free: FreeTraffic,
  raisedNanos: number,
  { seen, broken }: Findings
): Promise<void> {
  await free.untilSpent(raisedNanos - restNanos)
  await killControl(system)
  await free.untilSpent(raisedNanos)
  await delay(outageMs + someMs())
  await startControl(system)
  const closedMs = await free.untilAll(closed, performance.now())
  seen.push(`closed after control came back    ${closedMs} ms`)
  if (closedMs > promisedMs) broken.push(`the free offer was closed only ${closedMs} ms after control came back`)
  const closedAt = performance.now()
  await delay(watchedMs)
  const served = free.servedSince(closedAt)
  if (served > 0) broken.push(`${served} requests of free accounts were served after control had closed the offer`)
  seen.push(`spent in the end                  ${free.spentNanos()} nanodollars of ${raisedNanos}`)
}

const killControl = ({ controls }: ChaosSystem) => Promise.all(controls.map(({ part }) => part.kill('SIGKILL')))
const startControl = ({ controls }: ChaosSystem) => Promise.all(controls.map(({ part }) => part.start()))

/** Many free accounts, which ask every gateway ten times a second. Nobody else uses their models. */
interface FreeTraffic {
  /** Starts long streams of as many accounts. They end by themselves. */
  startStreams(count: number): { readonly ended: Promise<unknown> }
  /** What the model server has produced for all of them, nanodollars. */
  spentNanos(): number
  /** Resolves when they have spent so much. @throws Error after a minute */
  untilSpent(nanos: number): Promise<void>
  /**
   * Resolves when every gateway has given an answer to a question that was asked since `from`.
   *
   * @returns how long that took, ms
   * @throws Error after a minute
   */
  untilAll(outcome: string, from: number): Promise<number>
  /** How many questions and streams that began since `from` were served. */
  servedSince(from: number): number
  stop(): Promise<void>
}

async function startFreeTraffic(system: ChaosSystem): Promise<FreeTraffic> {
  const { sql, link, gateways, models } = system
  const accounts = await seedAccounts(sql, { count: accountsCount, keysEach: 1 })
  await untilProjected(sql, link, projectedTimeoutMs)
  const keyOf = (number: number) => (accounts[number % accountsCount] as SeededAccount).keys[0]!
  const sent = gateways.map((): Sent[] => [])
  const streams: Sent[] = []
  const stopping = new AbortController()
  const asking = gateways.map(async ({ url }, gateway) => {
    for (let number = gateway; !stopping.signal.aborted; number += gateways.length) {
      sent[gateway]!.push(await rawAsk(url, keyOf(number), 'chat', quick))
      await delay(pauseMs)
    }
  })
  const isOfFree = (model: string) => model === 'watched' || model === 'slow'
  const spentNanos = () => producedIn(models.requests().filter((request) => isOfFree(modelOf(request)))).nanos

  async function until(what: string, holds: () => boolean): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`in ${timeoutMs / 1000} s, ${what}`)
      await delay(pollMs)
    }
  }

  return {
    startStreams(count) {
      const all = Array.from({ length: count }, async (_, number) => {
        streams.push(await rawAsk(gateways[number % gateways.length]!.url, keyOf(number), 'chat', slow))
      })
      return { ended: Promise.all(all) }
    },
    spentNanos,
    untilSpent: (nanos) => until(`free accounts did not spend ${nanos} nanodollars`, () => spentNanos() >= nanos),
    async untilAll(outcome, from) {
      const answered = () =>
        sent.map((of) => of.find((one) => one.sentAt >= from && one.outcome === outcome)?.answeredAt)
      await until(`not every gateway answered ${outcome}`, () => answered().every((at) => at !== undefined))
      return Math.round(Math.max(...answered().map((at) => at!)) - from)
    },
    servedSince: (from) =>
      [...sent.flat(), ...streams].filter(({ sentAt, outcome }) => sentAt >= from && outcome === '200').length,
    async stop() {
      stopping.abort()
      await Promise.all(asking)
    }
  }
}
