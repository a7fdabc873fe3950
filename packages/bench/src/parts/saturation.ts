import type { Bench } from '../bench.ts'
import type { RequestPlan, Window } from '../load/protocol.ts'
import {
  type Comparison,
  compare,
  comparisonRow,
  helperRows,
  isQuiet,
  quietRounds,
  type Rounds,
  saturationNote,
  utilisationRows,
  windowFigures
} from '../report/comparison.ts'
import type { Side } from '../side.ts'
import type { PartReport } from './part.ts'

const maxSilentWindows = 20

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

/**
 * Keeps both sides under full load, one after the other, so that V8 compiles their code before it is measured. Only the
 * first call for each kind of request and each pair of processes does this.
 */
export async function warmUp(bench: Bench, kind: string, plan: (side: Side) => RequestPlan): Promise<void> {
  if (bench.warm.has(kind)) return
  bench.warm.add(kind)
  const sides = await bench.sides()
  for (const side of bench.order.map((name) => sides[name])) {
    bench.progress(`warming up ${side.name}: ${kind}`)
    if (side.apiKeys.length > 1) await bench.load({ kind: 'keys', keys: side.apiKeys })
    await bench.load({ kind: 'open', plan: plan(side), connections: 64, overMs: 0 })
    // The warm-up uses each key at least once, so that the gateway remembers all the keys that it can.
    let unused = side.apiKeys.length
    let silentWindows = 0
    do {
      const { answers } = await bench.load({ kind: 'measure', forMs: bench.timing.warmUpMs, watch: {} })
      // On a busy machine the processes may get no time at all for a while.
      silentWindows = answers === 0 ? silentWindows + 1 : 0
      if (silentWindows === maxSilentWindows) {
        throw new Error(`${side.name} has answered nothing for ${silentWindows * bench.timing.warmUpMs} ms`)
      }
      unused -= answers
    } while (unused > 0 || silentWindows > 0)
    await bench.load({ kind: 'close', drain: true })
  }
}

/**
 * Measures a window until it has an answer. On a busy machine the processes may get no time at all for a while.
 *
 * @throws Error if `maxSilentWindows` windows have no answer
 */
async function untilAnswered(side: Side, measure: () => Promise<Window>): Promise<Window> {
  for (let windows = 0; windows < maxSilentWindows; windows++) {
    const window = await measure()
    if (window.answers > 0) return window
  }
  throw new Error(`${side.name} has answered nothing in ${maxSilentWindows} windows`)
}

/**
 * Warms up several pairs of processes, and measures rounds of each.
 *
 * @param count rounds of all pairs together
 */
export async function measurePairs(
  bench: Bench,
  what: string,
  count: number,
  warm: () => Promise<void>,
  measure: (side: Side) => Promise<Window>
): Promise<Rounds> {
  const { pairs } = bench.timing
  const rounds: Rounds = { bare: [], target: [] }
  for (let pair = 1; pair <= pairs; pair++) {
    if (pair > 1) await bench.endSides()
    await warm()
    const some = await measureRounds(bench, `${what}, pair ${pair} of ${pairs}`, Math.ceil(count / pairs), measure)
    rounds.bare.push(...some.bare)
    rounds.target.push(...some.target)
  }
  return rounds
}

/**
 * Measures target and bare proxy in turn, so that changes of the machine affect both. With patience, each round waits
 * for a quiet moment, and disturbed rounds are repeated.
 */
async function measureRounds(
  bench: Bench,
  what: string,
  count: number,
  measure: (side: Side) => Promise<Window>
): Promise<Rounds> {
  const sides = await bench.sides()
  const rounds: Rounds = { bare: [], target: [] }
  let undisturbed = 0
  for (let round = 1; round <= count || (undisturbed < count && !bench.patience.isExhausted); round++) {
    bench.progress(`${what}: ${round > count ? 'an extra round' : `round ${round} of ${count}`}`)
    await bench.patience.untilQuiet()
    const started = performance.now()
    // The order alternates, so that neither side has an advantage from being second.
    const order = round % 2 === 1 ? (['target', 'bare'] as const) : (['bare', 'target'] as const)
    for (const name of order) rounds[name].push(windowFigures(await measure(sides[name])))
    if (isQuiet(rounds.bare.at(-1)!) && isQuiet(rounds.target.at(-1)!)) undisturbed++
    else bench.patience.spend(performance.now() - started)
    if (undisturbed === count) break
  }
  return rounds
}
