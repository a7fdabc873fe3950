import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, LoseData } from './fault.ts'
import { failuresOf } from './measure/broken-promises.ts'
import {
  countAccounts,
  type DataLoss,
  falseBudgetRefusals,
  findLost,
  measureCaps,
  measureUncopied,
  readCopiedUntil
} from './measure/measure-caps.ts'
import type { Findings, Measured } from './measure/measured.ts'
import { measureMessages, readMessages } from './measure/messages.ts'
import { chargedIn, chargedSince, producedIn } from './measure/produced-and-charged.ts'
import { measureReceipts, readLog } from './measure/receipts.ts'
import { leakedSlots, untilSettled, untilTold } from './measure/until-settled.ts'
import type { ChaosSystem } from './system/chaos-system.ts'
import { untilProjected } from './system/seed.ts'
import { seedNoticed, spendBudgets } from './traffic/noticed-accounts.ts'
import { prepareRevocations, startCreations } from './traffic/revocations.ts'
import { countOutcomes, type Sent } from './traffic/send-steadily.ts'
import { type CappedTraffic, seedCapped, startCappedTraffic, startSteadyTraffic } from './traffic/steady-traffic.ts'

/** Traffic before the fault. All of its requests must succeed. */
const undisturbedMs = 3000
/** The system has recovered when no request has failed for this long. */
const quietMs = 2000
/** How long gateways are asked with a revoked key. */
const watchedMs = 6000
const recoveryTimeoutMs = 90_000
const revokeEveryMs = 3000
const preparedKeys = 6
const projectedTimeoutMs = 60_000
/** Refusals that clients without caps must never see. */
const falseRefusal = /^(401|402|429)/

/**
 * Injects a fault into a system that serves traffic, and waits until the system has recovered by itself. Compares the
 * clients' outcomes with the records of the model server and the database.
 *
 * @throws Error if requests fail before the fault, or if the system does not recover or settle after it
 */
export async function runFault(fault: Fault, system: ChaosSystem): Promise<Measured> {
  const { models, sql, link } = system
  const cappedAccounts = await seedCapped(system)
  const noticed = await seedNoticed(system)
  await untilProjected(sql, link, projectedTimeoutMs)
  const revocations = await prepareRevocations(system, preparedKeys, watchedMs)
  await untilSettled(system)
  models.clear()
  const [chargedBefore, accountsBefore] = [await chargedIn(sql), await countAccounts(system)]
  const [logBefore, messagesBefore] = [await readLog(system), await readMessages(system)]

  const stalls = monitorEventLoopDelay({ resolution: 20 })
  stalls.enable()
  const steady = startSteadyTraffic(system)
  const capped = startCappedTraffic(cappedAccounts, system)
  const creations = startCreations(system)
  const budgets = spendBudgets(noticed, system)
  // Traffic stops even after an error below, so that this program can exit.
  await using traffic = new AsyncDisposableStack()
  for (const { stop } of [steady, capped, creations, budgets]) traffic.defer(stop)
  traffic.defer(revocations.stop)
  await delay(undisturbedMs)
  const early = failuresOf(countOutcomes(steady.raw))
  if (early.length > 0) throw new Error(`requests failed before the fault: ${early.join('; ')}`)

  const { brokenMs, restoredAt, loss, findings } = await injectFault(fault, system, revocations.revokeOne)
  await untilQuiet(steady.raw, restoredAt)
  await Promise.all([steady.stop(), capped.stop(), creations.stop(), budgets.finish()])
  stalls.disable()
  const giveUp = setTimeout(revocations.stop, recoveryTimeoutMs)
  const revoked = await revocations.finished()
  clearTimeout(giveUp)

  const lost = await findLost(system, creations, revoked, accountsBefore, fault.allowed)
  await untilSettled(system)
  if (loss !== null) {
    // A hold that came back with old data took a part of its budget until just now.
    await budgets.finish()
    await untilSettled(system)
  }
  findings.broken.push(...(await leakedSlots(system, cappedAccounts)))
  await untilTold(system, noticed)
  const recorded = models.requests()
  return {
    fault: fault.name,
    brokenMs,
    revocations: {
      count: revoked.length,
      answered: revoked.filter(({ okAt }) => okAt !== null).length,
      maxAcceptedMs: Math.max(0, ...revoked.map(({ acceptedForMs }) => acceptedForMs))
    },
    caps: await measureCaps(capped, recorded, sql, loss),
    produced: producedIn(recorded),
    charged: chargedSince(chargedBefore, await chargedIn(sql)),
    uncopied: measureUncopied(recorded, loss),
    receipts: await measureReceipts(system, logBefore, [...steady.raw, ...capped.sent]),
    messages: await measureMessages(system, noticed, messagesBefore),
    falseRefusals: falseRefusals([...steady.raw, ...steady.sdk], capped),
    lost,
    raw: countOutcomes(steady.raw),
    sdk: countOutcomes(steady.sdk),
    stalledMs: stalls.max / 1e6,
    recoveredMs: lastFailure(steady.raw, restoredAt) - restoredAt,
    findings
  }
}

/** Injects the fault. Revokes a key before, again and again during the fault, and after it. */
async function injectFault(fault: Fault, system: ChaosSystem, revokeOne: () => void) {
  let loss: DataLoss | null = null
  const loseData: LoseData = async (lose) => {
    const copiedUntil = await readCopiedUntil(system)
    await lose()
    loss = { atMs: Date.now(), copiedUntil }
  }
  const findings: Findings = { seen: [], broken: [] }
  revokeOne()
  const brokenFrom = performance.now()
  const revoking = setInterval(revokeOne, revokeEveryMs)
  try {
    await fault.inject(system, loseData, findings)
  } finally {
    clearInterval(revoking)
  }
  const restoredAt = performance.now()
  revokeOne()
  return { brokenMs: restoredAt - brokenFrom, restoredAt, loss: loss as DataLoss | null, findings }
}

/** Waits until no request has failed for `quietMs`. */
async function untilQuiet(raw: readonly Sent[], restoredAt: number): Promise<void> {
  while (performance.now() < lastFailure(raw, restoredAt) + quietMs) {
    if (performance.now() > restoredAt + recoveryTimeoutMs) {
      throw new Error(
        `no recovery in ${recoveryTimeoutMs / 1000} s: ${failuresOf(countOutcomes(raw.slice(-50))).join('; ')}`
      )
    }
    await delay(100)
  }
}

/** The time of the last failed answer to a request sent after the fault; the end of the fault if none failed. */
function lastFailure(raw: readonly Sent[], restoredAt: number): number {
  return raw.reduce(
    (last, { sentAt, answeredAt, outcome }) =>
      outcome !== '200' && sentAt >= restoredAt ? Math.max(last, answeredAt) : last,
    restoredAt
  )
}

function falseRefusals(uncapped: readonly Sent[], capped: CappedTraffic): Map<string, number> {
  const ofUncapped = [...countOutcomes(uncapped)].filter(([outcome]) => falseRefusal.test(outcome))
  const ofCapped = [...countOutcomes(capped.sent)].filter(([outcome]) => /^(401|429)/.test(outcome))
  const budget = falseBudgetRefusals(capped)
  return new Map([
    ...ofUncapped,
    ...ofCapped,
    ...(budget > 0 ? [['402 although the cap allows it', budget] as const] : [])
  ])
}
