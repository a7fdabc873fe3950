import { setTimeout as delay } from 'node:timers/promises'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import { type Allowed, describe, failuresOf } from '../measure/broken-promises.ts'
import { checkGrace } from '../measure/rotation-grace.ts'
import type { ChaosSystem, Conditions } from '../system/chaos-system.ts'
import { whyNoClocks } from '../system/clocks.ts'
import { startLimitedTraffic } from '../traffic/limited-traffic.ts'
import { countOutcomes } from '../traffic/send-steadily.ts'

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
