import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { untilCalm } from './measure/calm.ts'
import { falseBudgetRefusals, measureCaps, uncopiedNanos } from './measure/caps.ts'
import { failuresOf } from './measure/judge.ts'
import { countAccounts, findLost } from './measure/lost.ts'
import type { Findings, Measured } from './measure/measurement.ts'
import { chargedIn, chargedSince, producedIn } from './measure/usage.ts'
import type { ChaosSystem } from './system/chaos-system.ts'
import { untilProjected } from './system/seed.ts'
import { type CappedTraffic, seedCapped, startCappedTraffic } from './traffic/capped.ts'
import { startCreations } from './traffic/creations.ts'
import { prepareRevocations } from './traffic/revocations.ts'
import { countOutcomes, type Sent } from './traffic/sent.ts'
import { startSteadyTraffic } from './traffic/steady.ts'

/** How long what belongs to a fault lasts, ms. */
export type Pace = {
  /** Requests before the fault, all of which must be served. */
  undisturbedMs: number
  /** When for so long nothing has failed, it has healed. */
  quietMs: number
  /** Gateways are asked with a revoked key for so long. */
  watchedMs: number
}

const usualPace: Pace = { undisturbedMs: 3000, quietMs: 2000, watchedMs: 6000 }
const healLimitMs = 90_000
const revokeEveryMs = 3000
const stockOfKeys = 6
const projectedLimitMs = 60_000
/** Refusals that traffic without caps must never see. */
const falseRefusal = /^(401|402|429)/

/**
 * Inflicts a fault on a system that serves traffic, waits until it has healed by itself, and compares what was seen with
 * what the model server and the database know.
 *
 * @throws Error if requests fail before the fault, or something never comes to an end after it
 */
export async function runFault(fault: Fault, system: ChaosSystem, pace: Pace = usualPace): Promise<Measured> {
  const { undisturbedMs, quietMs, watchedMs } = pace
  const { models, sql, link } = system
  const cappedAccounts = await seedCapped(system)
  await untilProjected(sql, link, projectedLimitMs)
  const revocations = await prepareRevocations(system, stockOfKeys, watchedMs)
  await untilCalm(system)
  models.clear()
  const [chargedBefore, accountsBefore] = [await chargedIn(sql), await countAccounts(system)]

  const stalls = monitorEventLoopDelay({ resolution: 20 })
  stalls.enable()
  const steady = startSteadyTraffic(system)
  const capped = startCappedTraffic(cappedAccounts, system)
  const creations = startCreations(system)
  // Also if something below fails: what goes on asking would keep this program from its end.
  await using traffic = new AsyncDisposableStack()
  for (const { stop } of [steady, capped, creations]) traffic.defer(stop)
  traffic.defer(revocations.stop)
  await delay(undisturbedMs)
  const early = failuresOf(countOutcomes(steady.raw))
  if (early.length > 0) throw new Error(`requests fail before the fault: ${early.join('; ')}`)

  let forgottenAt: number | null = null
  const findings: Findings = { seen: [], broken: [] }
  revocations.revokeOne()
  const brokenFrom = performance.now()
  const revoking = setInterval(revocations.revokeOne, revokeEveryMs)
  try {
    await fault.inflict(
      system,
      () => {
        forgottenAt = Date.now()
      },
      findings
    )
  } finally {
    clearInterval(revoking)
  }
  const mendedAt = performance.now()
  revocations.revokeOne()
  await untilQuiet(steady.raw, mendedAt, quietMs)
  await Promise.all([steady.stop(), capped.stop(), creations.stop()])
  stalls.disable()
  const giveUp = setTimeout(revocations.stop, healLimitMs)
  const revoked = await revocations.finished()
  clearTimeout(giveUp)

  const lost = await findLost(system, creations, revoked, accountsBefore, fault.allowed)
  await untilCalm(system)
  const witnessed = models.requests()
  return {
    fault: fault.name,
    brokenMs: mendedAt - brokenFrom,
    revocations: {
      count: revoked.length,
      answered: revoked.filter(({ okAt }) => okAt !== null).length,
      longestAcceptedMs: Math.max(0, ...revoked.map(({ acceptedForMs }) => acceptedForMs))
    },
    caps: await measureCaps(capped, witnessed, sql, forgottenAt),
    produced: producedIn(witnessed),
    charged: chargedSince(chargedBefore, await chargedIn(sql)),
    uncopiedNanos: forgottenAt === null ? 0 : uncopiedNanos(witnessed, forgottenAt),
    falseRefusals: falseRefusals([...steady.raw, ...steady.sdk], capped),
    lost,
    raw: countOutcomes(steady.raw),
    sdk: countOutcomes(steady.sdk),
    stalledMs: stalls.max / 1e6,
    healedMs: lastFailure(steady.raw, mendedAt) - mendedAt,
    findings
  }
}

/** Resolves when for some time no answer was a failure. */
async function untilQuiet(raw: readonly Sent[], mendedAt: number, quietMs: number): Promise<void> {
  while (performance.now() < lastFailure(raw, mendedAt) + quietMs) {
    if (performance.now() > mendedAt + healLimitMs) {
      throw new Error(
        `it has not healed in ${healLimitMs / 1000} s: ${failuresOf(countOutcomes(raw.slice(-50))).join('; ')}`
      )
    }
    await delay(100)
  }
}

/** When the last failure was answered that was asked after the fault; the end of the fault if there was none. */
function lastFailure(raw: readonly Sent[], mendedAt: number): number {
  return raw.reduce(
    (last, { sentAt, answeredAt, outcome }) =>
      outcome !== '200' && sentAt >= mendedAt ? Math.max(last, answeredAt) : last,
    mendedAt
  )
}

function falseRefusals(uncapped: readonly Sent[], capped: CappedTraffic): Map<string, number> {
  const found = [...countOutcomes(uncapped)].filter(([outcome]) => falseRefusal.test(outcome))
  const others = [...countOutcomes(capped.sent)].filter(([outcome]) => /^(401|429)/.test(outcome))
  const budget = falseBudgetRefusals(capped)
  return new Map([...found, ...others, ...(budget > 0 ? [['402 although the cap allows it', budget] as const] : [])])
}
