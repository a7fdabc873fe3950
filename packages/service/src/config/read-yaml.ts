import { readFileSync } from 'node:fs'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parseDocument } from 'yaml'

/** Thrown for an invalid configuration file. Each line of the message names the file, the place and the reason. */
export class FileError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(problems.map((problem) => `${file}: ${problem}`).join('\n'))
    this.name = 'FileError'
  }
}

/**
 * Reads a YAML file and checks it with a schema.
 * @throws FileError naming the file, the path inside it and the reason of every problem
 */
export function readYaml<Schema extends TSchema>(file: string, schema: Schema): Static<Schema> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new FileError(file, [`cannot be read (${(error as NodeJS.ErrnoException).code})`])
  }
  const document = parseDocument(text, { uniqueKeys: true })
  if (document.errors.length > 0)
    throw new FileError(
      file,
      document.errors.map((error) => error.message.split('\n')[0]!)
    )
  const value: unknown = document.toJS()
  const problems = Value.Errors(schema, value)
    // The parent's "unknown member" names the same problem.
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(describe)
  if (problems.length > 0) throw new FileError(file, problems)
  return value as Static<Schema>
}

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
