import type { Window } from '../load/protocol.ts'
import type { RedisCounts } from '../load/redis-counters.ts'
import { median, ratioSpread, type Spread } from '../measure/statistics.ts'
import { formatNumber, formatShare, formatSpread } from './table.ts'

// Larger shares of a core by other programs, or the hypervisor, disturb a window.
const disturbance = { other: 0.1, stolen: 0.02 }

/** The figures of both sides for each round. */
export interface Rounds {
  bare: WindowFigures[]
  target: WindowFigures[]
}

/** A figure of both sides: medians, and the spread of the ratio of each round. */
export interface Comparison {
  bare: number
  target: number
  ratio: Spread
}

export function compare(rounds: Rounds, figure: (figures: WindowFigures) => number): Comparison {
  const bare = rounds.bare.map(figure)
  const target = rounds.target.map(figure)
  return { bare: median(bare), target: median(target), ratio: ratioSpread(target, bare) }
}

const minQuietRounds = 3

/**
 * Leaves out the rounds that other programs or the hypervisor disturbed, whatever their figures are. With fewer than
 * three quiet rounds, it keeps all.
 *
 * @returns the rounds to report, and a sentence about the disturbed ones, if any
 */
export function quietRounds(rounds: Rounds): { used: Rounds; notes: string[] } {
  const quiet = rounds.bare.flatMap((bare, round) => {
    const target = rounds.target[round]!
    return isQuiet(bare) && isQuiet(target) ? [{ bare, target }] : []
  })
  const all = rounds.bare.length
  const disturbed = `Other programs on the machine disturbed ${all - quiet.length} of ${all} rounds`
  if (quiet.length === all) return { used: rounds, notes: [] }
  if (quiet.length < minQuietRounds)
    return { used: rounds, notes: [`${disturbed}; all are counted. Run it again, or with --patience.`] }
  return {
    used: { bare: quiet.map(({ bare }) => bare), target: quiet.map(({ target }) => target) },
    notes: [`${disturbed}, which are left out.`]
  }
}

export function comparisonRow(label: string, { bare, target, ratio }: Comparison, decimals: number): string[] {
  return [label, formatNumber(bare, decimals), formatNumber(target, decimals), formatSpread(ratio, 2)]
}

/** Rows that show whether the measured process or the load was the limit. */
export function utilisationRows(rounds: Rounds): string[][] {
  const row = (label: string, figure: (figures: WindowFigures) => number) => [
    label,
    formatShare(median(rounds.bare.map(figure))),
    formatShare(median(rounds.target.map(figure))),
    ''
  ]
  return [
    row('busy: measured process', ({ measuredShare }) => measuredShare),
    row('busy: load, upstream, helpers', ({ loadShare }) => loadShare)
  ]
}

/** One row for each helper of the target, such as Redis. */
export function helperRows(rounds: Rounds): string[][] {
  return Object.keys(rounds.target[0]?.helperMicrosPerAnswer ?? {}).map((name) => [
    `CPU of ${name} per request, µs`,
    '',
    formatNumber(median(rounds.target.map(({ helperMicrosPerAnswer }) => helperMicrosPerAnswer[name]!)), 1),
    ''
  ])
}

/** A sentence that says whether the measured process was the limit. Only then do requests per second describe it. */
export function saturationNote(rounds: Rounds): string {
  const notSaturated = (['bare', 'target'] as const).filter(
    (side) => median(rounds[side].map(({ measuredShare }) => measuredShare)) < 0.95
  )
  return notSaturated.length === 0
    ? 'The measured process was the limit on both sides.'
    : `Not saturated: ${notSaturated.join(', ')}. Requests per second do not describe the proxy there.`
}

/** The figures of one side in one window. Shares are of one core. */
export interface WindowFigures {
  answersPerSecond: number
  eventsPerSecond: number
  cpuMicrosPerAnswer: number
  cpuMicrosPerEvent: number
  /** The CPU time of helpers, such as Redis, per answer: name → microseconds. */
  helperMicrosPerAnswer: Record<string, number>
  /** The work of Redis per answer; null if the side has no Redis with counters. */
  redisPerAnswer: RedisCounts | null
  /** How often the measured process asked the kernel to write, per answer. */
  writesPerAnswer: number
  measuredShare: number
  /** Upstream, load generator and helpers together, which share the other core. */
  loadShare: number
  /** The share of other programs on all cores: a source of noise. */
  otherShare: number
  stolenShare: number
}

/** Divides the counts of a window. Without answers, the figures per answer are infinite. */
export function windowFigures({
  seconds,
  answers,
  events,
  cpuNanos,
  writes,
  redis,
  machineSeconds
}: Window): WindowFigures {
  const { measured = 0, upstream = 0, load = 0, ...helpers } = cpuNanos
  const helperNanos = Object.values(helpers).reduce((sum, nanos) => sum + nanos, 0)
  const core = (nanos: number) => nanos / 1e9 / seconds
  const loadShare = core(upstream + load + helperNanos)
  return {
    answersPerSecond: answers / seconds,
    eventsPerSecond: events / seconds,
    cpuMicrosPerAnswer: measured / 1000 / answers,
    cpuMicrosPerEvent: measured / 1000 / events,
    helperMicrosPerAnswer: divided(helpers, 1000 * answers),
    redisPerAnswer: redis && {
      calls: divided(redis.calls, answers),
      reads: redis.reads / answers,
      bytesIn: redis.bytesIn / answers,
      bytesOut: redis.bytesOut / answers
    },
    writesPerAnswer: writes / answers,
    measuredShare: core(measured),
    loadShare,
    otherShare: Math.max(0, machineSeconds.busy / seconds - core(measured) - loadShare),
    stolenShare: machineSeconds.stolen / seconds
  }
}

function divided(amounts: Record<string, number>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount / by]))
}

/** Whether other programs and the hypervisor left a window undisturbed. */
export function isQuiet({ otherShare, stolenShare }: WindowFigures): boolean {
  return otherShare <= disturbance.other && stolenShare <= disturbance.stolen
}
