import type { Bench } from '../bench.ts'
import type { RequestPlan, Window } from '../load/protocol.ts'
import { median, ratioSpread } from '../measure/statistics.ts'
import { type WindowFigures, windowFigures } from '../report/figures.ts'
import { formatNumber, formatShare, formatSpread } from '../report/table.ts'
import type { Side } from '../side.ts'

/** Figures of both sides, round by round. */
export interface Rounds {
  bare: WindowFigures[]
  target: WindowFigures[]
}

/**
 * Keeps both sides under full load, one after the other, so that their code is compiled before it is measured. Only the
 * first call of a run for each kind of request does anything.
 */
export async function warmUp(bench: Bench, kind: string, plan: (side: Side) => RequestPlan): Promise<void> {
  if (bench.warm.has(kind)) return
  bench.warm.add(kind)
  const { target, bare } = await bench.sides()
  for (const side of [target, bare]) {
    bench.progress(`warming up ${side.name}: ${kind}`)
    await bench.load({ kind: 'open', plan: plan(side), connections: 64, overMs: 0 })
    await bench.load({ kind: 'measure', forMs: bench.timing.warmUpMs, watch: {} })
    await bench.load({ kind: 'close', drain: true })
  }
}

/** Measures target and bare proxy in turn, so that whatever changes on the machine meanwhile meets both. */
export async function measureRounds(
  bench: Bench,
  what: string,
  count: number,
  measure: (side: Side) => Promise<Window>
): Promise<Rounds> {
  const sides = await bench.sides()
  const rounds: Rounds = { bare: [], target: [] }
  for (let round = 1; round <= count; round++) {
    bench.progress(`${what}: round ${round} of ${count}`)
    // In turn also within the rounds, so that being second is no advantage of either.
    const order = round % 2 === 1 ? (['target', 'bare'] as const) : (['bare', 'target'] as const)
    for (const name of order) rounds[name].push(windowFigures(await measure(sides[name])))
  }
  return rounds
}

/** A row that compares one figure of both sides: medians, and the ratio round by round. */
export function comparisonRow(
  label: string,
  rounds: Rounds,
  figure: (figures: WindowFigures) => number,
  decimals: number
): string[] {
  const bare = rounds.bare.map(figure)
  const target = rounds.target.map(figure)
  return [
    label,
    formatNumber(median(bare), decimals),
    formatNumber(median(target), decimals),
    formatSpread(ratioSpread(target, bare), 2)
  ]
}

/** Rows that tell who was busy: whether the measured process was the limit, and what else ran. */
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

/** Notes on what could spoil the figures. */
export function noiseNotes(rounds: Rounds): string[] {
  const all = [...rounds.bare, ...rounds.target]
  const other = Math.max(...all.map(({ otherShare }) => otherShare))
  const stolen = Math.max(...all.map(({ stolenShare }) => stolenShare))
  return [
    ...(other > 0.1 ? [`Other programs took up to ${formatShare(other)} of a core meanwhile.`] : []),
    ...(stolen > 0.02 ? [`The hypervisor took up to ${formatShare(stolen)} of a core meanwhile.`] : [])
  ]
}

/** Says whether the measured process was the limit, which is what makes requests per second its own figure. */
export function saturationNote(rounds: Rounds): string {
  const notSaturated = (['bare', 'target'] as const).filter(
    (side) => median(rounds[side].map(({ measuredShare }) => measuredShare)) < 0.95
  )
  return notSaturated.length === 0
    ? 'The measured process was the limit on both sides.'
    : `Not saturated: ${notSaturated.join(', ')}. Requests per second are those of the load generator there.`
}
