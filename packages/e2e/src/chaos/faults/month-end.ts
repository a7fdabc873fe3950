import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { producedIn } from '../measure/produced-and-charged.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { whyNoClocks } from '../system/clocks.ts'
import { type SeededKey, seedAccounts, untilProjected } from '../system/seed.ts'
import type { Conditions } from '../system/servers.ts'
import { rawChat, type Sent } from '../traffic/send-steadily.ts'
import { allClocks } from './clocks.ts'

const capNanos = 300_000
/** From the start of the fault to the end of the month. */
const monthEndsAfterSeconds = 14
const redisAheadSeconds = 8
/** From the start of the system to the end of the month. */
const startsBeforeSeconds = 600
const watchedAfterMs = 4000
const promisedMs = 2000
const requestEveryMs = 100
const projectedTimeoutMs = 60_000
const body = { model: 'watched', stream: true, max_tokens: 40, messages: [{ role: 'user', content: 'Say 20 words.' }] }

/** The start of the next month (UTC), ms since the epoch. */
function nextMonth(): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

/** How many seconds a clock must be ahead so that its month ends in `seconds`. */
const aheadFor = (seconds: number): number => Math.ceil((nextMonth() - Date.now()) / 1000) - seconds

/** Those of the receivers of webhooks, too: everybody is in the same month. */
const everyClock = (aheadSeconds: number) => ({ ...allClocks(aheadSeconds), receiver: aheadSeconds })

const conditions: Conditions = {
  // Computed when the system starts, since a full run takes long.
  get clocksAheadSeconds() {
    return everyClock(aheadFor(startsBeforeSeconds))
  }
}

export const monthEnd: Fault = {
  name: 'clock-month-end',
  summary: `Redis enters the next month ${redisAheadSeconds} s before PostgreSQL, control and gateways`,
  conditions,
  missing: whyNoClocks,
  allowed: { refusals: ['503 state_unavailable'], retriesSucceed: true, months: 2 },
  async inject(system, _loseData, { seen, broken }) {
    const { clocks, models } = system
    const key = await seedOne(system)
    const ahead = aheadFor(monthEndsAfterSeconds)
    const monthEndsAtMs = nextMonth() - ahead * 1000
    for (const [name, seconds] of Object.entries(everyClock(ahead))) {
      clocks.move(name, name === 'redis' ? seconds + redisAheadSeconds : seconds)
    }
    const sent = await spendUntil(monthEndsAtMs + watchedAfterMs, system, key)
    clocks.move('redis', ahead)

    const calls = models.requests().filter((request) => modelOf(request) === 'watched')
    const nanosIf = (isMeant: (startedAtMs: number) => boolean) =>
      producedIn(calls.filter(({ startedAtMs }) => isMeant(startedAtMs))).nanos
    const [before, after] = [nanosIf((at) => at < monthEndsAtMs), nanosIf((at) => at >= monthEndsAtMs)]
    const monthEndedAt = monthEndsAtMs - performance.timeOrigin
    const served = sent.find(({ sentAt, outcome }) => sentAt >= monthEndedAt && outcome === '200')
    const openedMs = served === undefined ? Number.POSITIVE_INFINITY : Math.round(served.sentAt - monthEndedAt)
    seen.push(`served before and after month end ${before} and ${after} nanodollars of ${capNanos}`)
    seen.push(`cap of the new month open after   ${openedMs} ms`)
    if (before > capNanos)
      broken.push(`${before} nanodollars were served under a cap of ${capNanos} before the month's end`)
    if (after > capNanos) broken.push(`${after} nanodollars were served under a cap of ${capNanos} in the new month`)
    if (openedMs > promisedMs) broken.push(`the cap of the new month was open only after ${openedMs} ms`)
  }
}

async function seedOne({ sql, link }: ChaosSystem): Promise<SeededKey> {
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, projectedTimeoutMs)
  return account!.keys[0]!
}

/** Asks every gateway repeatedly. @param untilMs since the epoch */
async function spendUntil(untilMs: number, { gateways }: ChaosSystem, key: SeededKey): Promise<Sent[]> {
  const sent: Sent[] = []
  await Promise.all(
    gateways.map(async ({ url }) => {
      while (Date.now() < untilMs) {
        sent.push(await rawChat(url, key, body))
        await delay(requestEveryMs)
      }
    })
  )
  return sent.toSorted((one, other) => one.sentAt - other.sentAt)
}
