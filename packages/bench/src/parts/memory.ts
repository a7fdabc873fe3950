import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { readResidentBytes } from '../measure/machine.ts'
import { median } from '../measure/statistics.ts'
import { formatNumber } from '../report/table.ts'
import type { Side } from '../side.ts'
import type { Part } from './part.ts'

const streams = 1000
/** The time in which V8 returns freed memory, and connections close. */
const settleMs = 1000
const warming = { chunks: 20, paceMs: 5 }
const endless = { chunks: 1_000_000, paceMs: 200 }

/** Bytes of one process, idle or with all streams open. */
interface Memory {
  /** As the operating system counts it. */
  residentBytes: number
  /** The same after a forced collection. */
  collectedResidentBytes: number
  /** JavaScript objects after a forced collection. */
  heapBytes: number
  /** Buffers after a forced collection. */
  bufferBytes: number
}

interface MemoryRound {
  idle: Memory
  open: Memory
}

/**
 * The memory of an open stream. Fresh processes are measured idle, and with 1,000 streams that each bring five chunks a
 * second. The streams stay open until V8 has sized its young generation for that load.
 */
export const memory: Part = {
  name: 'memory',
  summary: `memory per open stream at ${formatNumber(streams, 0)} paced streams`,
  async run(bench) {
    const rounds: Record<'bare' | 'target', MemoryRound[]> = { bare: [], target: [] }
    for (let round = 1; round <= bench.timing.memoryRounds; round++) {
      bench.progress(`memory: round ${round} of ${bench.timing.memoryRounds}`)
      await bench.patience.untilQuiet()
      rounds.target.push(await measure(bench, await bench.startTarget({ inspect: true })))
      rounds.bare.push(await measure(bench, await bench.startBare({ inspect: true })))
    }
    const row = (label: string, figure: (round: MemoryRound) => number) => [
      label,
      formatNumber(median(rounds.bare.map(figure)) / 1000, 1),
      formatNumber(median(rounds.target.map(figure)) / 1000, 1)
    ]
    const perStream =
      (open: keyof Memory, idle: keyof Memory = open) =>
      (round: MemoryRound) =>
        (round.open[open] - round.idle[idle]) / streams
    return {
      sections: [
        {
          title: `memory at ${formatNumber(streams, 0)} open streams with a chunk every ${endless.paceMs} ms each`,
          table: {
            head: ['', 'bare', bench.targetName],
            rows: [
              row('resident per stream, KB', perStream('residentBytes', 'collectedResidentBytes')),
              row('  after a collection', perStream('collectedResidentBytes')),
              row('    heap', perStream('heapBytes')),
              row('    buffers', perStream('bufferBytes')),
              row('resident when idle, KB', (round) => round.idle.residentBytes),
              row('  after a collection', (round) => round.idle.collectedResidentBytes)
            ]
          },
          notes: []
        }
      ],
      figures: { streams, rounds }
    }
  }
}

async function measure(bench: Bench, side: Side): Promise<MemoryRound> {
  const { warmUpMs, holdMs } = bench.timing
  try {
    await bench.setStreamShape(warming)
    await bench.load({ kind: 'open', plan: side.streamPlan(warming), connections: 20, overMs: 0 })
    await bench.load({ kind: 'measure', forMs: warmUpMs / 3, watch: {} })
    await bench.load({ kind: 'close', drain: true })
    await delay(settleMs)
    const idle = await readMemory(side)

    await bench.setStreamShape(endless)
    await bench.load({ kind: 'open', plan: side.streamPlan(endless), connections: streams, overMs: holdMs / 4 })
    await bench.load({ kind: 'measure', forMs: holdMs, watch: {} })
    const open = await readMemory(side)
    await bench.load({ kind: 'close', drain: false })
    return { idle, open }
  } finally {
    await side.stop()
  }
}

/**
 * Reads memory before and after a garbage collection. The idle figure is from after it: otherwise free room from the
 * start would hide the memory of streams. The figure with streams is from before it, because streams also cost garbage.
 */
async function readMemory(side: Side): Promise<Memory> {
  const residentBytes = readResidentBytes(side.child.pid)
  const heap = await collect(side)
  await delay(settleMs)
  return { residentBytes, collectedResidentBytes: readResidentBytes(side.child.pid), ...heap }
}

async function collect(side: Side): Promise<Pick<Memory, 'heapBytes' | 'bufferBytes'>> {
  if (side.inspector === null) throw new Error('the heap can be read only if the process was started with inspect')
  const heap = await side.inspector.heapAfterCollection()
  return { heapBytes: heap.usedBytes, bufferBytes: heap.bufferBytes }
}
