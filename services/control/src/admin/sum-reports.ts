import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import type { LiveProcess } from '@tollgate/state/processes/heartbeat.ts'

interface Counted {
  count: number
  lastAt: number
}

/** Adds up the failed answers of processes by service and code, the most recent first. */
export function sumErrors(processes: readonly LiveProcess[]): AdminSystem['errors'] {
  const all = processes.flatMap(({ kind, errors }) =>
    Object.entries(errors).map(([code, counted]) => ({ service: kind, code, ...counted }))
  )
  return sum(all, ({ service, code }) => `${service} ${code}`)
}

/** Adds up the webhooks of processes by source and outcome, the most recent first. */
export function sumWebhooks(processes: readonly LiveProcess[]): AdminSystem['webhooks'] {
  const all = processes.flatMap(({ webhooks = [] }) => webhooks)
  return sum(all, ({ source, outcome }) => `${source} ${outcome}`)
}

/** The problems that processes have with their providers, each once. */
export function joinProblems(processes: readonly LiveProcess[]): AdminSystem['problems'] {
  const all = processes.flatMap(({ problems = [] }) =>
    problems.map(({ upstream = null, what, problem }) => ({ upstream, what, problem }))
  )
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

function sum<Entry extends Counted>(entries: readonly Entry[], nameOf: (entry: Entry) => string) {
  return [...Map.groupBy(entries, nameOf).values()]
    .map((some) => {
      const { count: _count, lastAt: _lastAt, ...of } = some[0]!
      const latest = Math.max(...some.map(({ lastAt }) => lastAt))
      return {
        ...of,
        count: some.reduce((total, { count }) => total + count, 0),
        last_at: new Date(latest).toISOString()
      }
    })
    .toSorted((one, other) => (one.last_at < other.last_at ? 1 : -1))
}
