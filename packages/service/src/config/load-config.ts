import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'
import { describeProblem } from './describe-problem.ts'
import { readSecretFiles } from './secret-files.ts'
import { findUnknownVariables } from './unknown-variables.ts'

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
 * A secret may be in a file: see {@link readSecretFiles}.
 *
 * A property's `where` says where to get a required variable, and its `must` replaces the words about a wrong value.
 *
 * @returns a frozen object of the schema's type
 * @throws ConfigError naming every bad variable at once, with its cure
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
  rules: ReadonlyArray<(config: Static<Schema>) => string | null> = []
): Readonly<Static<Schema>> {
  const files = readSecretFiles(env)
  const named: Record<string, string> = {}
  for (const name of Object.keys(schema.properties)) {
    const text = files.env[name]
    if (text !== undefined && text !== '') named[name] = text
  }
  const converted = Value.Convert(schema, Value.Default(schema, { ...named })) as Record<string, unknown>
  for (const [name, text] of Object.entries(named)) {
    // Value.Convert cuts a fraction to a whole number. The text is put back, so it is refused.
    if (typeof converted[name] === 'number' && converted[name] !== Number(text)) converted[name] = text
  }
  const problems = new Map<string, string>()
  for (const name of Object.keys(schema.properties)) {
    const problem = files.problems.get(name)
    if (problem !== undefined) problems.set(name, problem)
  }
  for (const [name, text] of Object.entries(named)) {
    const odd = findOddText(text)
    if (odd !== null) problems.set(name, `${name}: ${odd}`)
  }
  for (const error of Value.Errors(schema, converted)) {
    for (const [name, problem] of describeProblem(error, schema.properties, named)) {
      if (!problems.has(name)) problems.set(name, `${name}: ${problem}`)
    }
  }
  if (problems.size === 0) {
    for (const rule of rules) {
      const problem = rule(converted as Static<Schema>)
      if (problem !== null) problems.set(problem, problem)
    }
  }
  // A misspelt variable is often the one that is missing.
  if (problems.size > 0) throw new ConfigError([...problems.values(), ...findUnknownVariables(env)])
  return Object.freeze(converted as Static<Schema>)
}

/**
 * Finds what a shell, an editor or `docker --env-file` left around a value: quotes, spaces, line breaks.
 *
 * @returns the problem with its cure, without the value; null without a problem
 */
function findOddText(text: string): string | null {
  if (/^(["'`]).*\1\s*$/s.test(text)) {
    return 'the quotes around the value are part of it. Remove them: this kind of file takes values without quotes'
  }
  if (/^\s/.test(text)) return 'begins with a space or a line break. Remove it'
  if (/\s$/.test(text)) return 'ends with a space or a line break. Remove it'
  return null
}
