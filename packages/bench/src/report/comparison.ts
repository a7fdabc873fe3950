import { median, ratioSpread, type Spread } from '../measure/statistics.ts'
import { isQuiet, type WindowFigures } from './figures.ts'
import { formatNumber, formatShare, formatSpread } from './table.ts'

/** Figures of both sides, round by round. */
export interface Rounds {
  bare: WindowFigures[]
  target: WindowFigures[]
}

/** One figure of both sides: medians, and the ratio within each round. */
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

const enoughRounds = 3

/**
 * Leaves out the rounds in which other programs or the hypervisor took a noticeable part of the machine, whatever their
 * figures are; if hardly any is left, takes all.
 *
 * @returns the rounds to report, and a sentence on what was left out or could not be, if anything
 */
export function quietRounds(rounds: Rounds): { used: Rounds; notes: string[] } {
  const quiet = rounds.bare.flatMap((bare, round) => {
    const target = rounds.target[round]!
    return isQuiet(bare) && isQuiet(target) ? [{ bare, target }] : []
  })
  const all = rounds.bare.length
  const disturbed = `Other programs on the machine disturbed ${all - quiet.length} of ${all} rounds`
  if (quiet.length === all) return { used: rounds, notes: [] }
  if (quiet.length < enoughRounds)
    return { used: rounds, notes: [`${disturbed}; all are counted. Run it again, or with --patience.`] }
  return {
    used: { bare: quiet.map(({ bare }) => bare), target: quiet.map(({ target }) => target) },
    notes: [`${disturbed}, which are left out.`]
  }
}

export function comparisonRow(label: string, { bare, target, ratio }: Comparison, decimals: number): string[] {
  return [label, formatNumber(bare, decimals), formatNumber(target, decimals), formatSpread(ratio, 2)]
}

/** Rows that tell who was busy: whether the measured process was the limit, or the load. */
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

/** Says whether the measured process was the limit, which is what makes requests per second its own figure. */
export function saturationNote(rounds: Rounds): string {
  const notSaturated = (['bare', 'target'] as const).filter(
    (side) => median(rounds[side].map(({ measuredShare }) => measuredShare)) < 0.95
  )
  return notSaturated.length === 0
    ? 'The measured process was the limit on both sides.'
    : `Not saturated: ${notSaturated.join(', ')}. Requests per second are not those of the proxy there.`
}
