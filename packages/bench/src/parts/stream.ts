import { compare, comparisonRow, quietRounds, utilisationRows } from '../report/comparison.ts'
import type { Part } from './part.ts'
import { measurePairs, measureSaturation, warmUp } from './saturation.ts'

const short = { chunks: 20, paceMs: 0 }

// 15,000 chunks/s: enough for an exact figure, and few enough that each chunk is relayed separately.
const streams = 300
const endless = { chunks: 1_000_000, paceMs: 20 }

/**
 * Streamed chat in two forms. Short streams without pauses show the cost of a whole stream. Endless paced streams show
 * the cost of a chunk, because no stream begins or ends while they are measured.
 */
export const stream: Part = {
  name: 'stream',
  summary: 'streamed chat: CPU time per stream and per paced chunk, streams/s at saturation',
  async run(bench) {
    await bench.setStreamShape(short)
    const saturated = await measureSaturation(bench, 'stream', (side) => side.streamPlan(short))

    const warm = async () => {
      await bench.setStreamShape(short)
      await warmUp(bench, 'stream', (side) => side.streamPlan(short))
      await bench.setStreamShape(endless)
    }
    const rounds = await measurePairs(bench, 'paced stream', bench.timing.pacedRounds, warm, (side) =>
      bench.measureWindow(side, side.streamPlan(endless), {
        connections: streams,
        openMs: 600,
        drain: false,
        profileAs: 'paced stream'
      })
    )
    const { used, notes } = quietRounds(rounds)
    const cpuMicrosPerChunk = compare(used, (figures) => figures.cpuMicrosPerEvent)
    const chunksPerSecond = compare(used, (figures) => figures.eventsPerSecond)
    return {
      sections: [
        { ...saturated.section, title: `${saturated.section.title}, ${short.chunks} chunks each` },
        {
          title: `paced stream: ${streams} open streams, a chunk of about 250 bytes every ${endless.paceMs} ms`,
          table: {
            head: ['', 'bare', bench.targetName, 'ratio (quartiles)'],
            rows: [
              comparisonRow('CPU per chunk, µs', cpuMicrosPerChunk, 1),
              comparisonRow('chunks/s', chunksPerSecond, 0),
              ...utilisationRows(used)
            ]
          },
          notes
        }
      ],
      figures: {
        saturated: saturated.figures,
        paced: { cpuMicrosPerChunk, chunksPerSecond, roundsUsed: used.bare.length, rounds }
      }
    }
  }
}
