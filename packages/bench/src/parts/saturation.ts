import type { Bench } from '../bench.ts'
import type { RequestPlan } from '../load/protocol.ts'
import {
  type Comparison,
  compare,
  comparisonRow,
  helperRows,
  quietRounds,
  type Rounds,
  saturationNote,
  utilisationRows
} from '../report/comparison.ts'
import type { Side } from '../side.ts'
import type { PartReport } from './part.ts'
import { measurePairs, untilAnswered, warmUp } from './rounds.ts'

/** The number of connections of the load generator. */
export const connections = 64

/** The figures of both sides under full load. */
export interface Saturation {
  cpuMicrosPerRequest: Comparison
  requestsPerSecond: Comparison
  /** The rounds that the figures are from. */
  used: Rounds
  /** All measured rounds. */
  rounds: Rounds
  /** Sentences about the figures. */
  notes: string[]
}

/**
 * Sends requests as fast as the measured process can answer them, after a warm-up, to several pairs of processes.
 *
 * @param name names the kind of request, and the profile of the target
 */
export async function saturate(bench: Bench, name: string, plan: (side: Side) => RequestPlan): Promise<Saturation> {
  const warm = () => warmUp(bench, name, plan)
  const rounds = await measurePairs(bench, name, bench.timing.rounds, warm, (side) =>
    untilAnswered(side, () => bench.measureWindow(side, plan(side), { connections, drain: true, profileAs: name }))
  )
  const { used, notes } = quietRounds(rounds)
  return {
    cpuMicrosPerRequest: compare(used, (figures) => figures.cpuMicrosPerAnswer),
    requestsPerSecond: compare(used, (figures) => figures.answersPerSecond),
    used,
    rounds,
    notes: [saturationNote(used), ...notes]
  }
}

/** As {@link saturate}, with a table. */
export async function measureSaturation(
  bench: Bench,
  name: string,
  plan: (side: Side) => RequestPlan
): Promise<{ section: PartReport['sections'][number]; figures: object }> {
  const { cpuMicrosPerRequest, requestsPerSecond, used, rounds, notes } = await saturate(bench, name, plan)
  return {
    section: {
      title: `${name}: as fast as it goes, ${connections} connections`,
      table: {
        head: ['', 'bare', bench.targetName, 'ratio (quartiles)'],
        rows: [
          comparisonRow('CPU per request, µs', cpuMicrosPerRequest, 1),
          comparisonRow('requests/s', requestsPerSecond, 0),
          ...helperRows(used),
          ...utilisationRows(used)
        ]
      },
      notes
    },
    figures: { cpuMicrosPerRequest, requestsPerSecond, roundsUsed: used.bare.length, rounds }
  }
}
