import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parseDocument } from 'yaml'

/** Smaller texts are parsed in less time than a file is read. */
const minLength = 10_000

/** Thrown for an invalid configuration file. Each line of the message names the file, the place and the reason. */
export class FileError extends Error {
  /** Path and reason of every problem, without the name of the file. */
  readonly problems: readonly string[]

  constructor(file: string, problems: readonly string[]) {
    super(problems.map((problem) => `${file}: ${problem}`).join('\n'))
    this.name = 'FileError'
    this.problems = problems
  }
}

/**
 * Reads a text file.
 * @throws FileError
 */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new FileError(file, [`cannot be read (${(error as NodeJS.ErrnoException).code})`])
  }
}

/**
 * Reads a YAML file and checks it with a schema.
 * @throws FileError naming the file, the path inside it and the reason of every problem
 */
export function readYaml<Schema extends TSchema>(file: string, schema: Schema): Static<Schema> {
  return parseYaml(readText(file), file, schema)
}

/**
 * Parses a YAML text and checks it with a schema.
 * @param file the name of the text, for errors
 * @throws FileError naming the file, the path inside it and the reason of every problem
 */
export function parseYaml<Schema extends TSchema>(text: string, file: string, schema: Schema): Static<Schema> {
  let value: unknown
  try {
    value = parseLargeYaml(text)
  } catch (error) {
    const errors = error instanceof AggregateError ? (error.errors as Error[]) : [error as Error]
    throw new FileError(file, errors.map(firstLine))
  }
  const problems = Value.Errors(schema, value)
    // The parent's "unknown member" names the same problem.
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(describe)
  if (problems.length > 0) throw new FileError(file, problems)
  return value as Static<Schema>
}

const firstLine = ({ message }: Error): string => message.split('\n')[0]!

function describe(error: { keyword: string; instancePath: string; message: string; params: unknown }): string {
  const path = error.instancePath === '' ? '(top)' : error.instancePath.slice(1).replaceAll('/', '.')
  const { additionalProperties, allowedValues } = error.params as {
    additionalProperties?: string[]
    allowedValues?: unknown[]
  }
  if (additionalProperties !== undefined) return `${path}: unknown member ${additionalProperties.join(', ')}`
  if (allowedValues !== undefined) return `${path}: must be one of ${allowedValues.join(', ')}`
  return `${path}: ${error.message}`
}

/**
 * Parses a YAML text. If this process has a directory for compiled code (`NODE_COMPILE_CACHE`), the value of a large
 * text is kept there, because parsing the shipped catalog takes a quarter of a second at every start.
 *
 * @throws AggregateError of all mistakes in the text
 * @throws Error if its aliases would expand to a huge value
 */
export function parseLargeYaml(text: string, directory = getCompileCacheDir()): unknown {
  if (directory === undefined || text.length < minLength) return parse(text)
  const path = join(directory, `yaml-${createHash('sha256').update(text).digest('hex')}.json`)
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // It is not there yet.
  }
  const value = parse(text)
  keep(path, value)
  return value
}

function parse(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true })
  if (document.errors.length > 0) throw new AggregateError(document.errors)
  return document.toJS()
}

/** Other processes may write the same file at the same time. */
function keep(path: string, value: unknown): void {
  const json = JSON.stringify(value)
  // Such as `.inf`, which JSON does not have.
  if (!isDeepStrictEqual(JSON.parse(json), value)) return
  try {
    writeFileSync(`${path}.${process.pid}`, json)
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // The directory may not be writable. Then the next process parses the text again.
  }
}
