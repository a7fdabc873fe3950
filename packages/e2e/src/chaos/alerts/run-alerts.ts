import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { AlertFault } from './alert-fault.ts'
import type { RunningPrometheus } from './prometheus.ts'

const pollMs = 250
/** Longer than any fault takes to raise its alerts. */
const firesWithinMs = 240_000
/** Longer than any shortened window. */
const endsWithinMs = 300_000
const prefix = 'Tollgate'

/** What a fault raised. */
export interface Raised {
  /** Each alert with the time from the begin of its fault until it fired, seconds; in the order in which they fired. */
  fired: ReadonlyMap<string, number>
  /** From the end of the fault until no alert fired, seconds; null if some still fire. Then no other fault can be checked. */
  endedAfter: number | null
  /** One line for each broken promise. */
  broken: string[]
}

/** Breaks something, waits until its alerts fire, repairs it, and waits until no alert fires. */
export async function raiseAlerts(
  fault: AlertFault,
  system: ChaosSystem,
  prometheus: RunningPrometheus
): Promise<Raised> {
  const broken: string[] = []
  const fired = new Map<string, number>()
  const before = await untilNone(prometheus)
  if (before.length > 0) return { fired, endedAfter: null, broken: [`fires before the fault: ${before.join(', ')}`] }

  const watch = watchFiring(prometheus, fired)
  const { raises, mayRaise = [] } = fault
  const missing = (alerts: readonly string[]) => alerts.filter((alert) => !fired.has(alert))
  async function untilFired(alerts: readonly string[]): Promise<void> {
    const deadline = performance.now() + firesWithinMs
    while (missing(alerts).length > 0 && performance.now() < deadline) await delay(pollMs)
  }
  const restore = await fault.inject(system, prometheus)
  try {
    await untilFired(raises)
  } finally {
    await restore()
  }
  const restoredAt = performance.now()
  const still = await untilNone(prometheus)
  const endedAfter = still.length > 0 ? null : (performance.now() - restoredAt) / 1000
  await watch.stop()
  const silent = missing(raises)
  if (silent.length > 0) broken.push(`did not fire in ${firesWithinMs / 1000} s: ${silent.join(', ')}`)
  if (still.length > 0) broken.push(`fires ${endsWithinMs / 1000} s after the fault: ${still.join(', ')}`)
  const expected = new Set([...raises, ...mayRaise])
  const others = [...fired.keys()].filter((alert) => !expected.has(alert))
  if (others.length > 0) broken.push(`fired without a reason: ${others.join(', ')}`)
  return { fired, endedAfter, broken }
}

async function namesOf(prometheus: RunningPrometheus): Promise<string[]> {
  return [...(await prometheus.firing())].map((name) => name.replace(prefix, ''))
}

/** Notes when each alert fires for the first time. */
function watchFiring(prometheus: RunningPrometheus, fired: Map<string, number>): { stop(): Promise<void> } {
  const from = performance.now()
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      for (const alert of await namesOf(prometheus)) {
        if (!fired.has(alert)) fired.set(alert, (performance.now() - from) / 1000)
      }
      await delay(pollMs)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await watching
    }
  }
}

/** Waits until no alert fires. @returns the alerts that still fire after a long time */
async function untilNone(prometheus: RunningPrometheus): Promise<string[]> {
  const deadline = performance.now() + endsWithinMs
  for (;;) {
    const firing = await namesOf(prometheus)
    if (firing.length === 0 || performance.now() > deadline) return firing
    await delay(pollMs)
  }
}
