import type { Bench } from '../bench.ts'
import type { RequestPlan } from '../load/protocol.ts'
import {
  compare,
  comparisonRow,
  helperRows,
  quietRounds,
  saturationNote,
  utilisationRows
} from '../report/comparison.ts'
import type { Side } from '../side.ts'
import type { PartReport } from './part.ts'
import { measurePairs, warmUp } from './rounds.ts'

const connections = 64

/**
 * Requests as fast as the measured process can answer them, after a warm-up, in several pairs of processes.
 *
 * @param name of the kind of request, under which a profile of the target is kept
 */
export async function measureSaturation(
  bench: Bench,
  name: string,
  plan: (side: Side) => RequestPlan
): Promise<{ section: PartReport['sections'][number]; figures: object }> {
  const warm = () => warmUp(bench, name, plan)
  const rounds = await measurePairs(bench, name, bench.timing.rounds, warm, (side) =>
    bench.measureWindow(side, plan(side), { connections, drain: true, profileAs: name })
  )
  const { used, notes } = quietRounds(rounds)
  const cpuMicrosPerRequest = compare(used, (figures) => figures.cpuMicrosPerAnswer)
  const requestsPerSecond = compare(used, (figures) => figures.answersPerSecond)
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
      notes: [saturationNote(used), ...notes]
    },
    figures: { cpuMicrosPerRequest, requestsPerSecond, roundsUsed: used.bare.length, rounds }
  }
}
