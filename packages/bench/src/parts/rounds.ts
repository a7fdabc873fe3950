import type { Bench } from '../bench.ts'
import type { RequestPlan, Window } from '../load/protocol.ts'
import type { Rounds } from '../report/comparison.ts'
import { isQuiet, windowFigures } from '../report/figures.ts'
import type { Side } from '../side.ts'

const maxSilentWindows = 20

/**
 * Keeps both sides under full load, one after the other, so that their code is compiled before it is measured. Only the
 * first call for each kind of request and each pair of processes does anything.
 */
export async function warmUp(bench: Bench, kind: string, plan: (side: Side) => RequestPlan): Promise<void> {
  if (bench.warm.has(kind)) return
  bench.warm.add(kind)
  const sides = await bench.sides()
  for (const side of bench.order.map((name) => sides[name])) {
    bench.progress(`warming up ${side.name}: ${kind}`)
    if (side.apiKeys.length > 1) await bench.load({ kind: 'keys', keys: side.apiKeys })
    await bench.load({ kind: 'open', plan: plan(side), connections: 64, overMs: 0 })
    // With many keys for as long as it takes to use each once: the gateway remembers then what it is going to.
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
 * Measures rounds of several pairs of processes, each of which is warmed up first.
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
 * Measures target and bare proxy in turn, so that whatever changes on the machine meanwhile meets both. With patience,
 * each round waits for a quiet moment, and rounds that were disturbed all the same are made up for by others.
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
    bench.progress(`${what}: ${round > count ? 'one round more' : `round ${round} of ${count}`}`)
    await bench.patience.untilQuiet()
    const started = performance.now()
    // In turn also within the rounds, so that being second is no advantage of either.
    const order = round % 2 === 1 ? (['target', 'bare'] as const) : (['bare', 'target'] as const)
    for (const name of order) rounds[name].push(windowFigures(await measure(sides[name])))
    if (isQuiet(rounds.bare.at(-1)!) && isQuiet(rounds.target.at(-1)!)) undisturbed++
    else bench.patience.spend(performance.now() - started)
    if (undisturbed === count) break
  }
  return rounds
}
