import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { prometheus as program, rulesText } from '../../monitoring/rules.ts'
import { type AlertFault, alertFaults, raisedBy } from '../alerts/alert-faults.ts'
import { type RunningPrometheus, shortenRules, startPrometheus } from '../alerts/prometheus.ts'
import type { Check } from '../fault.ts'
import { type ChaosSystem, startChaosSystem } from '../system/chaos-system.ts'
import { startSteadyTraffic } from '../traffic/steady-traffic.ts'

const pollMs = 250

/** Longer than any fault takes to raise its alerts. */
const firesWithinMs = 240_000

/** Longer than any shortened window. */
const endsWithinMs = 300_000

const prefix = 'Tollgate'

/** Every `for` and every window of the shipped rules is shorter by this factor. Thresholds are not changed. */
const factor = 20
const [gatewayScrapeMs, controlScrapeMs, evaluationMs] = [500, 3000, 500]

/** The alerts whose metrics no other test moves fire in their faults, and no alert fires at another time. */
export const alerts: Check = {
  name: 'alerts',
  summary: `a real Prometheus: six alerts fire in their faults and end after them, and no alert fires at another time (times ÷ ${factor})`,
  onlyIfNamed: true,
  parts: alertFaults.flatMap(raisedBy),
  async run(names) {
    if (program === null) throw new Error('this needs Prometheus (Debian: prometheus)')
    await using parts = new AsyncDisposableStack()
    // The hold of a killed gateway ends a minute after the longest request.
    const variables = { GATEWAY_LONGEST_REQUEST_MS: '20000' }
    const system = await startChaosSystem({ keys: 100, redisNetwork: true, variables })
    if (system === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
    parts.defer(system.stop)
    const prometheus = await startPrometheus(program, {
      rules: shortenRules(rulesText, factor),
      evaluationMs,
      jobs: [
        {
          name: 'tollgate-gateway',
          urls: system.gateways.map(({ adminUrl }) => adminUrl),
          intervalMs: gatewayScrapeMs
        },
        { name: 'tollgate-control', urls: system.controls.map(({ adminUrl }) => adminUrl), intervalMs: controlScrapeMs }
      ]
    })
    parts.defer(prometheus.stop)
    await untilScraped(prometheus, system.gateways.length + system.controls.length)
    const traffic = startSteadyTraffic(system)
    parts.defer(traffic.stop)

    const broken: string[] = []
    const table: string[][] = []
    const chosen = alertFaults.filter((fault) => raisedBy(fault).some((alert) => names.includes(alert)))
    for (const fault of chosen.length > 0 ? chosen : alertFaults) {
      const raised = await raiseAlerts(fault, system, prometheus)
      for (const line of raised.broken) broken.push(`${fault.summary}: ${line}`)
      const rows = rowsOf(raisedBy(fault), fault.summary, raised)
      for (const row of rows) console.log(`  ${row.join('  ')}`)
      table.push(...rows)
      if (raised.endedAfter === null) break
    }
    const head = ['alert', 'fault', 'fired after', 'ended after', 'fired, too']
    return { seen: [...columns([head, ...table]), `load average ${loadavg()[0]!.toFixed(1)}`], broken }
  }
}

/** Waits until Prometheus reaches every target, and no alert of its start fires. */
async function untilScraped(prometheus: RunningPrometheus, targets: number): Promise<void> {
  const reached = async () => (await prometheus.query('sum(up)'))[0]?.value === targets
  while (!(await reached()) || (await prometheus.firing()).size > 0) await delay(evaluationMs)
}

function rowsOf(raises: readonly string[], summary: string, { fired, endedAfter }: Raised): string[][] {
  const others = [...fired].filter(([alert]) => !raises.includes(alert)).map(([alert]) => alert)
  return raises.map((alert) => {
    const after = fired.get(alert)
    return [alert, summary, secondsOf(after), secondsOf(endedAfter), others.join(', ')]
  })
}

const secondsOf = (value: number | null | undefined): string => (value == null ? 'never' : `${value.toFixed(1)} s`)

function columns(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  )
}

/** What a fault raised. */
interface Raised {
  /** Each alert with the time from the begin of its fault until it fired, seconds; in the order in which they fired. */
  fired: ReadonlyMap<string, number>
  /**
   * From the end of the fault until no alert fired, seconds; null if some still fire. Then no other fault can be
   * checked.
   */
  endedAfter: number | null
  /** One line for each broken promise. */
  broken: string[]
}

/** Breaks something, waits until its alerts fire, repairs it, and waits until no alert fires. */
async function raiseAlerts(fault: AlertFault, system: ChaosSystem, prometheus: RunningPrometheus): Promise<Raised> {
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
