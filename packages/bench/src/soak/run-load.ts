import type { Kind, Outcome, SoakContext } from './kinds.ts'

/** What the requests of one kind have come to. */
export interface Tally {
  requests: number
  outcomes: Record<Outcome | 'unexpected', number>
  /** What was unexpected: the first few that differ. */
  examples: string[]
}

const mostExamples = 3

export interface Load {
  readonly tallies: ReadonlyMap<Kind, Tally>
  /** Requests that have come to an end. */
  readonly total: number
  /** Ends once the requests under way have. */
  stop(): Promise<void>
}

/**
 * Starts so many clients that each send one request after the other, of kinds at random by their weights.
 *
 * @param random from 0 to 1, 1 excluded
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
        if (tally.examples.length < mostExamples && !tally.examples.includes(example)) tally.examples.push(example)
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

/** The kind into whose part of the range from 0 to 1 a number falls. */
export function chooseKind(kinds: readonly Kind[], at: number): Kind {
  let left = at * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds.at(-1)!
}

/** In one line, with the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.name}: ${error.message}${cause}`.replace(/\s+/g, ' ')
}
