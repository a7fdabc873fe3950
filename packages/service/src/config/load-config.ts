import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'
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
 * `schema` has one property for each variable. Numbers and booleans are converted from text. Absent variables get the
 * schema's `default`. An empty variable counts as absent, as in compose files and `.env`. Other variables are ignored.
 * `rules` are checks across variables: each returns a problem that names its variable, or null.
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

/** An error of typebox. */
interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: unknown
}

/** The members of a variable's schema that the words use. */
interface VariableSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly where?: string
  readonly must?: string
}

/**
 * Describes a schema error of the configuration, with its cure.
 *
 * @param texts the variables' texts. They are never repeated, because they may be secrets.
 * @returns the affected variables with their problems
 */
function describeProblem(
  error: SchemaError,
  properties: Readonly<Record<string, object>>,
  texts: Readonly<Record<string, string>>
): Array<[name: string, problem: string]> {
  const schemaOf = (name: string): VariableSchema => properties[name] ?? {}
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: string[] }
    return requiredProperties.map((name) => {
      const { where } = schemaOf(name)
      return [name, where === undefined ? 'missing' : `missing. ${where}`]
    })
  }
  const name = error.instancePath.split('/')[1] ?? ''
  return [[name, describeValue(error, schemaOf(name), texts[name] ?? '')]]
}

function describeValue({ message, params }: SchemaError, schema: VariableSchema, text: string): string {
  if (schema.must !== undefined) return `must be ${schema.must}`
  const { allowedValues } = (params ?? {}) as { allowedValues?: unknown[] }
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`
  if (schema.type === 'integer' || schema.type === 'number') return describeNumber(schema, text)
  return schema.type === 'boolean' ? 'must be true or false' : message
}

/** The values that a variable may have: `a whole number from 1 to 9`. Null if the schema does not say it in words. */
export function describeAllowed(schema: VariableSchema): string | null {
  if (schema.must !== undefined) return schema.must
  if (schema.enum !== undefined) return schema.enum.join(', ')
  return schema.type === 'integer' || schema.type === 'number' ? allowedNumbers(schema) : null
}

function allowedNumbers({ type, minimum, maximum }: VariableSchema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  if (minimum === undefined) return kind
  return maximum === undefined ? `${kind} of ${minimum} or more` : `${kind} from ${minimum} to ${maximum}`
}

function describeNumber(schema: VariableSchema, text: string): string {
  const allowed = allowedNumbers(schema)
  if (/^-?\d+,\d+$/.test(text)) {
    const cure = schema.type === 'integer' ? 'write it without a comma' : 'write a decimal point, not a comma'
    return `must be ${allowed}: ${cure}`
  }
  // Kubernetes sets NAME_PORT for each Service.
  const origin = /^tcp:\/\//.test(text) ? '. Kubernetes set it: add "enableServiceLinks: false" to the pod' : ''
  return `must be ${allowed}${origin}`
}
