import type { Kind, Outcome, SoakContext } from './kinds.ts'

/** The outcomes of one kind of request. */
export interface Tally {
  requests: number
  outcomes: Record<Outcome | 'unexpected', number>
  /** The first few different unexpected errors. */
  examples: string[]
}

const maxExamples = 3

export interface Load {
  readonly tallies: ReadonlyMap<Kind, Tally>
  /** The number of finished requests. */
  readonly total: number
  /** Stops sending. Resolves when the open requests have finished. */
  stop(): Promise<void>
}

/**
 * Starts clients that each send one request after another. The kinds are random, by their weights.
 *
 * @param random returns numbers from 0 to below 1
 */
export function startLoad(
  kinds: readonly Kind[],
  context: SoakContext,
  clients: number,
  random: () => number = Math.random
): Load {
  const tallies = new Map(kinds.map((kind) => [kind, newTally()]))
  let total = 0
  let stopped = false
  async function runClient(): Promise<void> {
    while (!stopped) {
      const kind = chooseKind(kinds, random())
      const tally = tallies.get(kind)!
      try {
        tally.outcomes[await kind.run(context)]++
      } catch (error) {
        tally.outcomes.unexpected++
        const example = describe(error)
        if (tally.examples.length < maxExamples && !tally.examples.includes(example)) tally.examples.push(example)
      }
      tally.requests++
      total++
    }
  }
  const ends = Array.from({ length: clients }, runClient)
  return {
    tallies,
    get total() {
      return total
    },
    async stop() {
      stopped = true
      await Promise.all(ends)
    }
  }
}

function newTally(): Tally {
  return {
    requests: 0,
    outcomes: { 'right answer': 0, 'expected error': 0, 'hung up': 0, unexpected: 0 },
    examples: []
  }
}

/** Chooses the kind whose share of the range from 0 to 1 contains a number. */
export function chooseKind(kinds: readonly Kind[], at: number): Kind {
  let left = at * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds.at(-1)!
}

/** Describes an error with its cause in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.name}: ${error.message}${cause}`.replace(/\s+/g, ' ')
}
