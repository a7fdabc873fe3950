import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { untilCopied } from '../measure/calm.ts'
import { describe } from '../measure/judge.ts'
import type { Findings } from '../measure/measurement.ts'
import { chargedIn, modelOf, producedIn } from '../measure/usage.ts'
import type { leftModels } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { askAndLeave, leavings } from '../traffic/leaving.ts'
import { countOutcomes } from '../traffic/sent.ts'

/** Enough for about a quarter of the streams. */
const capNanos = 6_000_000
const streams = 80
const workers = 8
/** What others hold may come free again. */
const pauseOfRefusedMs = 250
const maxTokens = 400
/** What a stream reserves at most: its prompt by its bytes, and all that it may produce. */
const mostNanosEach = (200 + maxTokens) * 1000
const projectedLimitMs = 60_000
const body = { max_tokens: maxTokens, messages: [{ role: 'user', content: 'Say 200 words.' }] }

/** Clients leave, and what they leave is charged at least as it was produced. */
export const hangUps: Fault = {
  name: 'hang-ups',
  summary: `clients of ${streams} streams hang up ${leavings.join(', ')}; of a model that shows all it produces, and of one that reasons`,
  allowed: { bridged: true, clientsLeave: true },
  async inflict(system, _forgotten, findings) {
    for (const model of ['ordinary', 'reasoning'] as const) await leaveAll(system, model, findings)
  }
}

async function leaveAll(system: ChaosSystem, model: (typeof leftModels)[number], findings: Findings): Promise<void> {
  const { sql, link, gateways, models } = system
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, projectedLimitMs)
  const outcomes: Array<{ outcome: string }> = []
  let number = 0
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (number < streams) {
        const one = number++
        const { url } = gateways[one % gateways.length]!
        const leaving = leavings[Math.floor(one / gateways.length) % leavings.length]!
        const outcome = await askAndLeave(url, account!.keys[0]!.secret, { ...body, model }, leaving)
        outcomes.push({ outcome })
        if (outcome === '402') await delay(pauseOfRefusedMs)
      }
    })
  )
  await untilCopied(system, account!.id)
  const produced = producedIn(models.requests().filter((request) => modelOf(request) === model))
  const charged = await chargedIn(sql, account!.id)
  const { seen, broken } = findings
  seen.push(`left streams, ${model.padEnd(18)} ${describe(countOutcomes(outcomes))}`)
  seen.push(`${' '.repeat(32)} produced ${produced.nanos}, charged ${charged.nanos} of ${capNanos} nanodollars`)
  const what = `streams of ${model} that were left`
  if (produced.nanos > capNanos)
    broken.push(`${produced.nanos} nanodollars were produced under a cap of ${capNanos}: ${what}`)
  if (charged.nanos < produced.nanos)
    broken.push(`${charged.nanos} nanodollars were charged of ${produced.nanos}: ${what}`)
  const most = Math.min(capNanos, charged.requests * mostNanosEach)
  if (charged.nanos > most) broken.push(`${charged.nanos} nanodollars were charged, and ${most} reserved: ${what}`)
}
