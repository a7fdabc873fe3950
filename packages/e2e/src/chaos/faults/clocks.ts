import { setTimeout as delay } from 'node:timers/promises'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import { type Allowed, describe, failuresOf } from '../measure/broken-promises.ts'
import type { Findings } from '../measure/measured.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { whyNoClocks } from '../system/clocks.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import type { Conditions } from '../system/servers.ts'
import { countOutcomes, rawChat, type Sent, sendSteadily } from '../traffic/send-steadily.ts'

const clients = 6
const secondsBetween = 2
const projectedTimeoutMs = 60_000
const limitedQuestion = { model: 'quick', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

const graceMs = 4000

/** An old secret is refused at most this long after its grace ends. */
const promisedMs = 5000

const requestEveryMs = 200
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

const minute = 60
const hour = 60 * minute
/** Long enough to serve every rate-limited client once. */
const beforeMs = 3000
const afterMs = 5000

/** The names of the movable clocks. */
const controls = ['control', 'control-2']
const gateways = ['gateway', 'gateway-2', 'gateway-3']
export const clockNames = ['redis', 'postgres', 'identity', 'payments', ...controls, ...gateways] as const

export const allClocks = (aheadSeconds: number): Record<string, number> =>
  Object.fromEntries(clockNames.map((name) => [name, aheadSeconds]))

/** All clock faults share a system. */
const conditions: Conditions = { clocksAheadSeconds: allClocks(0) }

/** Moves clocks, and corrects them after 10 s. */
const jump = (name: string, owner: string, names: readonly string[], seconds: number, allowed?: Allowed): Fault => ({
  name: `clock-${name}`,
  summary: `the clock of ${owner} jumps ${describeJump(seconds)}, and is corrected after 10 s`,
  conditions,
  missing: whyNoClocks,
  allowed: { retriesSucceed: true, ...allowed },
  async inject(system: ChaosSystem, _loseData, findings) {
    // Before, since a wrong clock may keep people from signing in.
    const person = await new Person(system.system, 'rotating').join()
    const limited = await startLimitedTraffic(system)
    try {
      await delay(beforeMs)
      for (const one of names) system.clocks.move(one, seconds)
      await checkGrace(system, person, findings)
      for (const one of names) system.clocks.move(one, 0)
      await delay(afterMs)
    } finally {
      await limited.stop()
    }
    const refused = failuresOf(countOutcomes(limited.sent))
    findings.seen.push(
      `clients at half their rate limit  ${refused.length === 0 ? 'none refused' : describe(new Map(refused))}`
    )
    if (refused.length > 0)
      findings.broken.push(`clients at half their rate limit were refused: ${describe(new Map(refused))}`)
  }
})

function describeJump(seconds: number): string {
  const size = Math.abs(seconds) === hour ? 'an hour' : `${Math.abs(seconds)} s`
  return seconds > 0 ? `${size} ahead` : `back by ${size}`
}

export const clockFaults: readonly Fault[] = [
  jump('redis-ahead-70s', 'Redis', ['redis'], minute + 10),
  jump('redis-back-70s', 'Redis', ['redis'], -minute - 10),
  jump('redis-ahead-1h', 'Redis', ['redis'], hour),
  // The correction moves the clock ahead by an hour, so Redis may expire tombstones.
  jump('redis-back-1h', 'Redis', ['redis'], -hour, { tombstonesExpire: true }),
  jump('postgres-ahead', 'PostgreSQL', ['postgres'], hour),
  jump('postgres-back', 'PostgreSQL', ['postgres'], -hour),
  jump('control-ahead', 'control', controls, hour),
  jump('control-back', 'control', controls, -hour),
  jump('gateways-ahead', 'gateways', gateways, hour),
  jump('gateways-back', 'gateways', gateways, -hour)
]

/**
 * Rotates a key with a grace period, and checks at every gateway that the old secret works exactly that long.
 *
 * @param person has not changed a key yet: after PostgreSQL's clock went back, others have to wait before their second
 *   change
 */
async function checkGrace({ gateways }: ChaosSystem, person: Person, { seen, broken }: Findings): Promise<void> {
  const created = await person.createKey('to rotate')
  if (created.status !== 201) throw new Error(`a key could not be created: ${created.status}`)
  const { id, value: secret } = created.body.key
  const ask = (url: string) => rawChat(url, { secret, account: '' }, question)
  for (const { url } of gateways) {
    const { outcome } = await ask(url)
    if (outcome !== '200') broken.push(`a new key was refused: ${outcome}`)
  }
  let [firstRefused, lastAccepted] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let until = Number.POSITIVE_INFINITY
  const watching = Promise.all(
    gateways.map(async ({ url }) => {
      while (performance.now() < until) {
        const { sentAt, answeredAt, outcome } = await ask(url)
        if (outcome === '200') lastAccepted = Math.max(lastAccepted, sentAt)
        if (outcome.startsWith('401')) firstRefused = Math.min(firstRefused, answeredAt)
        await delay(requestEveryMs)
      }
    })
  )
  const askedAt = performance.now()
  const { status } = await person.call('POST', `/api/keys/${id}/rotate`, { grace_seconds: graceMs / 1000 })
  const rotatedAt = performance.now()
  until = rotatedAt + graceMs + promisedMs + 1000
  await watching
  if (status !== 200) throw new Error(`a key could not be rotated: ${status}`)
  const seconds = (at: number, from: number) => `${((at - from) / 1000).toFixed(1)} s`
  seen.push(
    `old secret, grace of   ${graceMs / 1000} s     accepted for ${seconds(lastAccepted, rotatedAt)}, refused after ${seconds(firstRefused, askedAt)}`
  )
  if (firstRefused < askedAt + graceMs) {
    broken.push(
      `an old secret was refused ${seconds(firstRefused, askedAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
  if (lastAccepted > rotatedAt + graceMs + promisedMs) {
    broken.push(
      `an old secret was accepted ${seconds(lastAccepted, rotatedAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
}

interface LimitedTraffic {
  readonly sent: readonly Sent[]
  stop(): Promise<void>
}

/** Starts clients whose plan allows one request per second. They send half as many, so no rate limit applies. */
async function startLimitedTraffic({ sql, link, gateways }: ChaosSystem): Promise<LimitedTraffic> {
  const accounts = await seedAccounts(sql, { count: clients, keysEach: 1, plan: 'limited' })
  await untilProjected(sql, link, projectedTimeoutMs)
  const sent: Sent[] = []
  const loop = sendSteadily(clients / secondsBetween, async (number) => {
    const { keys } = accounts[number % clients]!
    sent.push(await rawChat(gateways[number % gateways.length]!.url, keys[0]!, limitedQuestion))
  })
  return { sent, stop: loop.stop }
}
