import type { Bench } from '../bench.ts'
import type { RequestPlan } from '../load/protocol.ts'
import { median, quantile, spread } from '../measure/statistics.ts'
import { formatNumber, formatSpread } from '../report/table.ts'
import type { Part } from './part.ts'
import { warmUp } from './saturation.ts'

const shape = { chunks: 10, paceMs: 0 }

/** Percentiles of one round of one side, in microseconds. */
interface Percentiles {
  p50: number
  p99: number
}

type Way = 'direct' | 'bare' | 'target'
type LatencyRounds = Record<Way, Percentiles[]>

/** The latency that a proxy adds to the upstream's, on a mostly idle machine. */
export const latency: Part = {
  name: 'latency',
  summary: 'added latency p50 and p99 at a fixed modest rate, beside direct requests',
  async run(bench) {
    const { bare, target } = await bench.sides()
    await bench.setStreamShape(shape)
    await warmUp(bench, 'chat', (side) => side.plainPlan())
    await warmUp(bench, 'stream', (side) => side.streamPlan(shape))
    const plain = await measure(bench, 'end', 500, {
      direct: bench.directPlan(null),
      bare: bare.plainPlan(),
      target: target.plainPlan()
    })
    const firstEvent = await measure(bench, 'first-event', 200, {
      direct: bench.directPlan(shape),
      bare: bare.streamPlan(shape),
      target: target.streamPlan(shape)
    })
    return {
      sections: [
        section(bench, 'latency of chat at 500 requests/s, until the end of the answer', plain),
        section(bench, 'latency of streamed chat at 200 requests/s, until the first event', firstEvent)
      ],
      figures: { chat: plain, streamFirstEvent: firstEvent }
    }
  }
}

async function measure(
  bench: Bench,
  until: 'end' | 'first-event',
  perSecond: number,
  plans: Record<Way, RequestPlan>
): Promise<LatencyRounds> {
  const rounds: LatencyRounds = { direct: [], bare: [], target: [] }
  const { rampMs, windowMs } = bench.timing
  for (let round = 1; round <= bench.timing.latencyRounds; round++) {
    bench.progress(`latency until ${until}: round ${round} of ${bench.timing.latencyRounds}`)
    await bench.patience.untilQuiet()
    for (const way of ['direct', 'target', 'bare'] as const) {
      const millis = await bench.load({
        kind: 'latency',
        plan: plans[way],
        perSecond,
        rampMs,
        forMs: 2 * windowMs,
        until
      })
      rounds[way].push({ p50: quantile(millis, 0.5) * 1000, p99: quantile(millis, 0.99) * 1000 })
    }
  }
  return rounds
}

function section(bench: Bench, title: string, rounds: LatencyRounds) {
  const row = (percentile: keyof Percentiles) => {
    const added = (way: Way) =>
      formatSpread(spread(rounds[way].map((round, index) => round[percentile] - rounds.direct[index]![percentile])), 0)
    return [
      `${percentile}, µs`,
      formatNumber(median(rounds.direct.map((round) => round[percentile])), 0),
      added('bare'),
      added('target')
    ]
  }
  return {
    title,
    table: {
      head: ['', 'direct', 'bare adds (quartiles)', `${bench.targetName} adds (quartiles)`],
      rows: [row('p50'), row('p99')]
    },
    notes: []
  }
}
