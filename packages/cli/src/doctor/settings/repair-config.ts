import { ConfigError } from '@tollgate/service/config/load-config.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** A configuration in which examples replace the invalid variables, so that the rest can be checked. */
export interface RepairedConfig<Config> {
  /** Null if even the examples did not help. */
  readonly config: Config | null
  /** As the loader words them: `NAME: what is wrong`. */
  readonly problems: readonly string[]
  /** The names of the invalid variables. What depends on them is not to be used. */
  readonly invalid: ReadonlySet<string>
}

/** Valid values for the variables without a default. */
const examples: Variables = {
  PUBLIC_URL: 'http://localhost:3000',
  SUPABASE_URL: 'http://localhost:9999',
  SUPABASE_ANON_KEY: 'missing',
  SUPABASE_SERVICE_ROLE_KEY: 'missing',
  STRIPE_SECRET_KEY: 'missing',
  STRIPE_WEBHOOK_SECRET: 'whsec_0000000000000000',
  DATABASE_URL: 'postgres://localhost/missing',
  REDIS_URL: 'redis://localhost'
}

/** Variables that are only valid beside another. */
const dependents: Readonly<Record<string, readonly string[]>> = { PUBLIC_URL: ['SERVICE_DOMAIN'] }

/** Loaders check rules between variables only after each variable is valid. */
const maxPasses = 3

/**
 * Loads a configuration, and again with examples for its invalid variables. So the second pass finds the problems that the
 * loader did not look for before.
 *
 * @param load throws ConfigError
 */
export function repairConfig<Config>(load: (env: Variables) => Config, env: Variables): RepairedConfig<Config> {
  const problems: string[] = []
  const invalid = new Set<string>()
  let repaired = { ...env }
  for (let pass = 0; pass < maxPasses; pass++) {
    try {
      return { config: load(repaired), problems, invalid }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      for (const name of error.problems.flatMap(namesIn)) {
        invalid.add(name)
        repaired = { ...repaired, [name]: examples[name] ?? '' }
        for (const dependent of dependents[name] ?? []) repaired = { ...repaired, [dependent]: '' }
      }
    }
  }
  return { config: null, problems, invalid }
}

/** The variables that a problem begins with. */
export function namesIn(problem: string): string[] {
  const [, names] = /^([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*):/.exec(problem) ?? []
  return names?.split(', ') ?? []
}
