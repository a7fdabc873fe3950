import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { prometheus as program } from '../../monitoring/promtool.ts'
import { rulesText } from '../../monitoring/rules.ts'
import { alertFaults, raisedBy } from '../alerts/alert-faults.ts'
import { type RunningPrometheus, startPrometheus } from '../alerts/prometheus.ts'
import { type Raised, raiseAlerts } from '../alerts/run-alerts.ts'
import { shortenRules } from '../alerts/shorten-rules.ts'
import { startChaosSystem } from '../system/chaos-system.ts'
import { startSteadyTraffic } from '../traffic/steady-traffic.ts'
import type { Check } from './check.ts'

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
