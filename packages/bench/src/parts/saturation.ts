import type { Bench } from '../bench.ts'
import type { RequestPlan } from '../load/protocol.ts'
import type { Side } from '../side.ts'
import type { PartReport } from './part.ts'
import {
  comparisonRow,
  helperRows,
  measureRounds,
  noiseNotes,
  type Rounds,
  saturationNote,
  utilisationRows,
  warmUp
} from './rounds.ts'

const connections = 64

/**
 * Requests as fast as the measured process can answer them, after a warm-up.
 *
 * @param name under which a profile of the target is kept
 */
export async function measureSaturation(
  bench: Bench,
  name: string,
  plan: (side: Side) => RequestPlan
): Promise<{ rounds: Rounds; section: PartReport['sections'][number] }> {
  await warmUp(bench, name, plan)
  const rounds = await measureRounds(bench, name, bench.timing.rounds, (side) =>
    bench.measureWindow(side, plan(side), { connections, drain: true, profileAs: name })
  )
  return {
    rounds,
    section: {
      title: `${name}: as fast as it goes, ${connections} connections`,
      table: {
        head: ['', 'bare', bench.targetName, 'ratio (quartiles)'],
        rows: [
          comparisonRow('CPU per request, µs', rounds, (figures) => figures.cpuMicrosPerAnswer, 1),
          comparisonRow('requests/s', rounds, (figures) => figures.answersPerSecond, 0),
          ...helperRows(rounds),
          ...utilisationRows(rounds)
        ]
      },
      notes: [saturationNote(rounds), ...noiseNotes(rounds)]
    }
  }
}
