import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { modelOf, producedIn } from '../measure/usage.ts'
import type { ChaosSystem, Conditions } from '../system/chaos-system.ts'
import { whyNoClocks } from '../system/clocks.ts'
import { type SeededKey, seedAccounts, untilProjected } from '../system/seed.ts'
import { rawChat } from '../traffic/raw-chat.ts'
import type { Sent } from '../traffic/sent.ts'
import { allClocks } from './clocks.ts'

const capNanos = 300_000
/** The month turns so long after the fault begins. */
const turnsAfterSeconds = 14
const redisAheadSeconds = 8
/** The system starts so long before the month's end. */
const startsBeforeSeconds = 600
const watchedAfterMs = 4000
const promisedMs = 2000
const askEveryMs = 100
const projectedLimitMs = 60_000
const body = { model: 'watched', stream: true, max_tokens: 40, messages: [{ role: 'user', content: 'Say 20 words.' }] }

/** When the next month begins (UTC), ms since the epoch. */
function nextMonth(): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

/** How far ahead a clock is for which the month ends in so many seconds. */
const aheadFor = (seconds: number): number => Math.ceil((nextMonth() - Date.now()) / 1000) - seconds

const conditions: Conditions = {
  // When it starts: a whole run takes long.
  get clocksAheadSeconds() {
    return allClocks(aheadFor(startsBeforeSeconds))
  }
}

export const monthEnd: Fault = {
  name: 'clock-month-end',
  summary: `Redis is in the next month ${redisAheadSeconds} s before PostgreSQL, control and gateways are`,
  conditions,
  missing: whyNoClocks,
  allowed: { refusals: ['503 state_unavailable'], bridged: true, months: 2 },
  async inflict(system, _forgotten, { seen, broken }) {
    const { clocks, models } = system
    const key = await seedOne(system)
    const ahead = aheadFor(turnsAfterSeconds)
    const turnsAtMs = nextMonth() - ahead * 1000
    for (const [name, seconds] of Object.entries(allClocks(ahead))) {
      clocks.move(name, name === 'redis' ? seconds + redisAheadSeconds : seconds)
    }
    const sent = await spendUntil(turnsAtMs + watchedAfterMs, system, key)
    clocks.move('redis', ahead)

    const ofKey = models.requests().filter((request) => modelOf(request) === 'watched')
    const nanosIf = (isMeant: (startedAtMs: number) => boolean) =>
      producedIn(ofKey.filter(({ startedAtMs }) => isMeant(startedAtMs))).nanos
    const [before, after] = [nanosIf((at) => at < turnsAtMs), nanosIf((at) => at >= turnsAtMs)]
    const turnedAt = turnsAtMs - performance.timeOrigin
    const served = sent.find(({ sentAt, outcome }) => sentAt >= turnedAt && outcome === '200')
    const openedMs = served === undefined ? Number.POSITIVE_INFINITY : Math.round(served.sentAt - turnedAt)
    seen.push(`served before and after the turn  ${before} and ${after} nanodollars of ${capNanos}`)
    seen.push(`the new month's cap was open      after ${openedMs} ms`)
    if (before > capNanos)
      broken.push(`${before} nanodollars were served under a cap of ${capNanos} before the month ended`)
    if (after > capNanos) broken.push(`${after} nanodollars were served under a cap of ${capNanos} in the new month`)
    if (openedMs > promisedMs) broken.push(`the cap of the new month was open after ${openedMs} ms only`)
  }
}

async function seedOne({ sql, link }: ChaosSystem): Promise<SeededKey> {
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, projectedLimitMs)
  return account!.keys[0]!
}

/** Asks every gateway again and again. @param untilMs since the epoch */
async function spendUntil(untilMs: number, { gateways }: ChaosSystem, key: SeededKey): Promise<Sent[]> {
  const sent: Sent[] = []
  await Promise.all(
    gateways.map(async ({ url }) => {
      while (Date.now() < untilMs) {
        sent.push(await rawChat(url, key, body))
        await delay(askEveryMs)
      }
    })
  )
  return sent.toSorted((one, other) => one.sentAt - other.sentAt)
}
