import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from 'yaml'

/** Smaller texts are parsed in less time than a file is read. */
const minLength = 10_000

/**
 * Parses a YAML text. If this process has a directory for compiled code (`NODE_COMPILE_CACHE`), the value of a large text is
 * kept there, because parsing the shipped catalog takes a quarter of a second at every start.
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
