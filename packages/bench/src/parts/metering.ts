import type { Bench } from '../bench.ts'
import { median } from '../measure/statistics.ts'
import { formatNumber, formatShare, formatSpread } from '../report/table.ts'
import { gatewayWith, relayWithKeys } from '../targets/gateway.ts'
import { relay, type Target } from '../targets/proxies.ts'
import type { Part } from './part.ts'
import { connections, type Saturation, saturate } from './saturation.ts'

interface Measured {
  name: string
  /** The number of accounts; null for a relay, which bills no accounts. */
  accounts: number | null
  saturation: Saturation
}

/**
 * The cost of keys, limits, budgets and the ledger. It measures the requests of `chat` with the gateway, with few
 * and many accounts. Then it measures the relay that checks keys, and the relay alone. The bare proxy runs beside each.
 */
export const metering: Part = {
  name: 'metering',
  summary: 'the cost of metering: the gateway with 1, 1 k and 100 k accounts and Redis, beside the relay alone',
  async run(bench) {
    // Idle processes would still wake up now and then.
    await bench.endSides()
    const measured: Measured[] = []
    for (const accounts of bench.timing.accounts) {
      const name = `gateway with ${formatNumber(accounts, 0)} ${accounts === 1 ? 'account' : 'accounts'}`
      measured.push({ name, accounts, saturation: await measure(bench, name, gatewayWith(accounts)) })
    }
    for (const [name, target] of [
      ['relay with keys checked', relayWithKeys],
      ['relay alone', relay]
    ] as const) {
      measured.push({ name, accounts: null, saturation: await measure(bench, name, target) })
    }
    return report(measured)
  }
}

async function measure(bench: Bench, name: string, target: Target): Promise<Saturation> {
  const ofTarget = bench.withTarget(target)
  const saturation = await saturate(ofTarget, name, (side) => side.plainPlan())
  await ofTarget.endSides()
  return saturation
}

function report(measured: readonly Measured[]) {
  return {
    sections: [
      {
        title: `metering: chat as fast as it goes, ${connections} connections; CPU per request, µs`,
        table: {
          head: ['', 'bare', 'target', 'ratio (quartiles)', 'requests/s', 'busy: measured', 'busy: rest'],
          rows: measured.map(({ name, saturation: { cpuMicrosPerRequest, requestsPerSecond, used } }) => [
            name,
            formatNumber(cpuMicrosPerRequest.bare, 1),
            formatNumber(cpuMicrosPerRequest.target, 1),
            formatSpread(cpuMicrosPerRequest.ratio, 2),
            formatNumber(requestsPerSecond.target, 0),
            formatShare(median(used.target.map(({ measuredShare }) => measuredShare))),
            formatShare(median(used.target.map(({ loadShare }) => loadShare)))
          ])
        },
        notes: measured.flatMap(({ name, saturation: { notes } }) => notes.map((note) => `${name}: ${note}`))
      },
      {
        title: 'metering: Redis per request',
        table: {
          head: ['', 'CPU, µs', 'round trips (reads)', 'EVALSHA', 'commands within'],
          rows: measured.flatMap(({ name, saturation }) => {
            const redis = redisFigures(saturation)
            return redis === null
              ? []
              : [
                  [
                    name,
                    formatNumber(redis.cpuMicros, 1),
                    formatNumber(redis.reads, 2),
                    formatNumber(redis.scripts, 2),
                    formatNumber(redis.others, 1)
                  ]
                ]
          })
        },
        notes: []
      }
    ],
    figures: {
      connections,
      measured: measured.map(({ name, accounts, saturation }) => {
        const { cpuMicrosPerRequest, requestsPerSecond, used, rounds } = saturation
        const redisPerRequest = redisFigures(saturation)
        return {
          name,
          accounts,
          cpuMicrosPerRequest,
          requestsPerSecond,
          redisPerRequest,
          roundsUsed: used.bare.length,
          rounds
        }
      })
    }
  }
}

/** Medians per request; null if the target has no Redis with counters. */
function redisFigures({ used }: Saturation) {
  const counts = used.target.flatMap(({ redisPerAnswer }) => redisPerAnswer ?? [])
  if (counts.length === 0) return null
  const all = (calls: Record<string, number>) => Object.values(calls).reduce((sum, count) => sum + count, 0)
  const scripts = ({ evalsha = 0 }: Record<string, number>) => evalsha
  return {
    cpuMicros: median(used.target.map(({ helperMicrosPerAnswer }) => all(helperMicrosPerAnswer))),
    reads: median(counts.map(({ reads }) => reads)),
    scripts: median(counts.map(({ calls }) => scripts(calls))),
    /** The scripts make nearly all of these calls. The others come with time, not with requests. */
    others: median(counts.map(({ calls }) => all(calls) - scripts(calls)))
  }
}
