import type { Env, World } from '../world.ts'

/** One wrong thing, and what the check has to say about it. */
export interface Fault {
  readonly name: string
  /** The codes of all findings, in the order of the report. */
  readonly codes: readonly string[]
  /** Makes it wrong. @returns the changed variables, and a function that makes it right again */
  make(world: World): Promise<Env | { env: Env; undo(): Promise<void> }>
}

/** A fault of variables alone. */
export const withEnv = (name: string, codes: readonly string[], change: Env): Fault => ({
  name,
  codes,
  make: async () => change
})

/** A port of this machine where nothing listens. `fetch` refuses some others, such as 1 and 9. */
export const deadPort = 2
