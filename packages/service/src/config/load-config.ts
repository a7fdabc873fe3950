import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'

/** Thrown by {@link loadConfig}. The message has a line for each bad variable, and no values, which may be secrets. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads a service's configuration from environment variables.
 *
 * `schema` has one property for each variable. Numbers and booleans are converted from text. Absent variables get the schema's
 * `default`. An empty variable counts as absent, as in compose files and `.env`. Other variables are ignored. `rules` are checks
 * across variables: each returns a problem that names its variable, or null.
 *
 * @returns a frozen object of the schema's type
 * @throws ConfigError naming every bad variable at once
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
  rules: ReadonlyArray<(config: Static<Schema>) => string | null> = []
): Readonly<Static<Schema>> {
  const named: Record<string, unknown> = {}
  for (const name of Object.keys(schema.properties)) {
    if (env[name] !== undefined && env[name] !== '') named[name] = env[name]
  }
  const converted = Value.Convert(schema, Value.Default(schema, { ...named })) as Record<string, unknown>
  for (const [name, text] of Object.entries(named)) {
    // Value.Convert cuts a fraction to a whole number. The text is put back, so it is refused.
    if (typeof converted[name] === 'number' && converted[name] !== Number(text)) converted[name] = text
  }
  const problems = new Set<string>()
  for (const error of Value.Errors(schema, converted)) problems.add(describe(error))
  if (problems.size === 0) {
    for (const rule of rules) {
      const problem = rule(converted as Static<Schema>)
      if (problem !== null) problems.add(problem)
    }
  }
  if (problems.size > 0) throw new ConfigError([...problems])
  return Object.freeze(converted as Static<Schema>)
}

function describe(error: { keyword: string; instancePath: string; message: string; params: unknown }): string {
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: string[] }
    return `${requiredProperties.join(', ')}: missing`
  }
  const name = error.instancePath.split('/')[1] ?? ''
  return `${name}: ${error.message}`
}
