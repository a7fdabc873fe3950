import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePackages } from '@tollgate/packaging/make-package.ts'
import type { Bench } from '../bench.ts'
import type { RequestPlan } from '../load/protocol.ts'
import { askProbe, probeFlags } from '../measure/probe.ts'
import { median } from '../measure/statistics.ts'
import { rungLabels, rungs } from '../proxies/rungs.ts'
import type { WindowFigures } from '../report/comparison.ts'
import { formatNumber, formatSpread } from '../report/table.ts'
import type { Side } from '../side.ts'
import { gatewayWith, rungTarget } from '../targets/gateway.ts'
import { bare, type Target } from '../targets/proxies.ts'
import type { Part } from './part.ts'
import { connections, type Saturation, saturate } from './saturation.ts'

interface Step {
  readonly name: string
  readonly target: Target
  readonly plan: (side: Side) => RequestPlan
  /** The number of budgets with a window, if the step is one of those that differ only in it. */
  readonly budgets?: number
}

/** Budgets with a window that count each request: the steps after the one without any. */
const budgetCounts = [4, 8]

interface Measured {
  readonly name: string
  readonly budgets: Step['budgets']
  readonly saturation: Saturation
  /** Turns of the event loop, and allocated bytes, for each request. */
  readonly turns: number
  readonly allocatedBytes: number
}

/**
 * What each part of the gateway costs. It begins with the bare proxy, and adds one part of the gateway at a time; each
 * step runs beside the bare proxy. The requests are those of `chat`.
 */
export const ladder: Part = {
  name: 'ladder',
  summary:
    'chat with one part of the gateway after the other, the whole with 1, 1 k and 100 k accounts, and with 8 budgets',
  onlyIfNamed: true,
  async run(bench) {
    // Idle processes would still wake up now and then.
    await bench.endSides()
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-ladder-'))
    try {
      const measured: Measured[] = []
      await makePackages(folder)
      for (const step of stepsOf(bench, join(folder, 'gateway', 'main.js'))) {
        measured.push(await measure(bench, step, join(folder, 'probe.sock')))
      }
      return report(measured)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

function stepsOf(bench: Bench, packaged: string): Step[] {
  const plan = (side: Side) => side.plainPlan()
  const ofAccounts = (count: number) => `${formatNumber(count, 0)} ${count === 1 ? 'account' : 'accounts'}`
  const whole = (accounts: number, budgets?: number): Step => ({
    name: `the whole, from the package, ${ofAccounts(accounts)}${budgets ? `, ${budgets} budgets` : ''}`,
    target: gatewayWith({ accounts, budgets }, packaged),
    plan,
    budgets
  })
  const [fewest, ...more] = bench.timing.accounts
  return [
    { name: 'bare proxy', target: bare, plan },
    ...rungs.map((rung) => ({
      name: rungLabels[rung],
      target: rungTarget(rung),
      plan: rung === 'idempotency' ? (side: Side) => side.repeatablePlan() : plan
    })),
    { name: 'the whole, from sources', target: gatewayWith({ accounts: 1 }), plan },
    ...[0, ...budgetCounts].map((budgets) => whole(fewest!, budgets)),
    ...more.map((accounts) => whole(accounts))
  ]
}

async function measure(bench: Bench, { name, target, plan, budgets }: Step, socketPath: string): Promise<Measured> {
  const probed: Target = {
    ...target,
    start: (context) => target.start({ ...context, nodeFlags: [...context.nodeFlags, ...probeFlags(socketPath)] })
  }
  // The bare proxy of a pair has no probe.
  const ofStep = bench.withTarget(probed)
  const saturation = await saturate(ofStep, name, plan)
  const counted = await count(ofStep, plan, socketPath)
  await ofStep.endSides()
  return { name, budgets, saturation, ...counted }
}

/** Counts what the probe tells, in a window of its own: sampling allocations takes time. */
async function count(bench: Bench, plan: (side: Side) => RequestPlan, socketPath: string) {
  const { target } = await bench.sides()
  const { rampMs, windowMs } = bench.timing
  await bench.load({ kind: 'open', plan: plan(target), connections, overMs: 0 })
  await bench.load({ kind: 'measure', forMs: rampMs, watch: {} })
  const before = await askProbe(socketPath, 'turns')
  const counted = await bench.load({ kind: 'measure', forMs: windowMs, watch: {} })
  const turns = (await askProbe(socketPath, 'turns')) - before
  await askProbe(socketPath, 'allocate')
  const sampled = await bench.load({ kind: 'measure', forMs: windowMs, watch: {} })
  const allocated = await askProbe(socketPath, 'allocated')
  await bench.load({ kind: 'close', drain: true })
  return { turns: turns / counted.answers, allocatedBytes: allocated / sampled.answers }
}

function report(measured: readonly Measured[]) {
  const figures = measured.map(({ name, budgets, saturation, turns, allocatedBytes }) => {
    const { cpuMicrosPerRequest, used, rounds } = saturation
    const ofTarget = (figure: (figures: WindowFigures) => number) => median(used.target.map(figure))
    const ofRedis = redisFigures(used.target)
    const writes = ofTarget(({ writesPerAnswer }) => writesPerAnswer)
    return { name, budgets, cpuMicrosPerRequest, redis: ofRedis, writes, turns, allocatedBytes, rounds }
  })
  const perBudget = perFurtherBudget(figures)
  return {
    sections: [
      {
        title: `ladder: chat as fast as it goes, ${connections} connections; for each request`,
        table: {
          head: ['', 'bare, µs', 'CPU, µs', 'ratio (quartiles)', 'writes', 'turns', 'allocated, bytes'],
          rows: figures.map(({ name, cpuMicrosPerRequest: { bare, target, ratio }, writes, turns, allocatedBytes }) => [
            name,
            formatNumber(bare, 1),
            formatNumber(target, 1),
            formatSpread(ratio, 2),
            formatNumber(writes, 2),
            formatNumber(turns, 2),
            formatNumber(allocatedBytes, 0)
          ])
        },
        notes: measured.flatMap(({ name, saturation: { notes } }) => notes.map((note) => `${name}: ${note}`))
      },
      {
        title: 'ladder: Redis, for each request',
        table: {
          head: ['', 'CPU, µs', 'of bare', 'bytes to it', 'bytes from it', 'EVALSHA', 'commands within', 'reads'],
          rows: figures.flatMap(({ name, cpuMicrosPerRequest, redis }) =>
            redis === null || redis.scripts < 0.001
              ? []
              : [
                  [
                    name,
                    formatNumber(redis.cpuMicros, 1),
                    formatNumber(redis.cpuMicros / cpuMicrosPerRequest.bare, 2),
                    formatNumber(redis.bytesIn, 0),
                    formatNumber(redis.bytesOut, 0),
                    formatNumber(redis.scripts, 2),
                    formatNumber(redis.others, 1),
                    formatNumber(redis.reads, 2)
                  ]
                ]
          )
        },
        notes: [describePerBudget(perBudget)]
      }
    ],
    figures: { connections, steps: figures, perFurtherBudget: perBudget }
  }
}

interface BudgetFigures {
  readonly budgets: Step['budgets']
  /** Medians, µs. */
  readonly cpuMicrosPerRequest: { readonly bare: number; readonly ratio: { readonly median: number } }
  /** Null without a Redis that counts. */
  readonly redis: { readonly cpuMicros: number } | null
}

/** CPU time of one budget for each request, µs. */
interface PerBudget {
  readonly gatewayMicros: number
  /** Null without a Redis that counts. */
  readonly redisMicros: number | null
}

/**
 * What each further budget costs: the mean between the step without budgets and the one with most. Each step is divided
 * by the bare proxy beside it, because the machine may have become slower in between. Noise can make it negative.
 */
export function perFurtherBudget(figures: readonly BudgetFigures[]): PerBudget {
  const steps = figures.filter(({ budgets }) => budgets !== undefined)
  const bare = median(steps.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest.bare))
  const [none, most] = [steps[0]!, steps.at(-1)!]
  const each = (share: (step: BudgetFigures) => number) => ((share(most) - share(none)) * bare) / most.budgets!
  const hasRedis = steps.every(({ redis }) => redis !== null)
  return {
    gatewayMicros: each(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest.ratio.median),
    redisMicros: hasRedis ? each(({ redis, cpuMicrosPerRequest }) => redis!.cpuMicros / cpuMicrosPerRequest.bare) : null
  }
}

function describePerBudget({ gatewayMicros, redisMicros }: PerBudget): string {
  const redis = redisMicros === null ? 'unknown' : `${formatNumber(redisMicros, 2)} µs`
  return `per further budget: gateway ${formatNumber(gatewayMicros, 2)} µs, Redis ${redis} a request`
}

/** Medians per request; null if the target has no Redis with counters. */
function redisFigures(rounds: readonly WindowFigures[]) {
  const counts = rounds.flatMap(({ redisPerAnswer }) => redisPerAnswer ?? [])
  if (counts.length === 0) return null
  const sum = (calls: Record<string, number>) => Object.values(calls).reduce((total, count) => total + count, 0)
  const scripts = ({ evalsha = 0 }: Record<string, number>) => evalsha
  return {
    cpuMicros: median(rounds.map(({ helperMicrosPerAnswer }) => sum(helperMicrosPerAnswer))),
    bytesIn: median(counts.map(({ bytesIn }) => bytesIn)),
    bytesOut: median(counts.map(({ bytesOut }) => bytesOut)),
    reads: median(counts.map(({ reads }) => reads)),
    scripts: median(counts.map(({ calls }) => scripts(calls))),
    /** The scripts make nearly all of these calls. The others come with time, not with requests. */
    others: median(counts.map(({ calls }) => sum(calls) - scripts(calls)))
  }
}
