import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A library whose code a package contains. */
export interface Library {
  readonly name: string
  readonly version: string
  /** SPDX expression, such as `MIT`. */
  readonly licence: string
  /** The text of its licence, and of its notice if it has one; null if the library has no such file. */
  readonly text: string | null
}

/** A library in the list that the dashboard's bundler writes. */
interface DashboardLibrary {
  readonly name: string
  readonly version: string
  readonly identifier: string | null
  readonly text: string | null
}

const licenceFile = /^(licen[cs]e|copying|notice)([-.][a-z-]+)?(\.(md|txt))?$/i

/**
 * Finds the libraries that modules belong to, each once, by name and version.
 *
 * @param modules paths of bundled modules; those outside of `node_modules` belong to Tollgate
 * @throws Error if a library does not name its licence
 */
export function readLibraries(modules: readonly string[]): Library[] {
  const folders = new Set(modules.flatMap((path) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  return unique([...folders].map(readLibrary))
}

/** Reads the libraries of a built dashboard. @param file `licences.json` of its build */
export function readDashboardLibraries(file: string): Library[] {
  const listed = JSON.parse(readFileSync(file, 'utf8')) as DashboardLibrary[]
  return unique(
    listed.map(({ name, version, identifier, text }) => ({ name, version, licence: named(name, identifier), text }))
  )
}

/** Sorts libraries, and keeps one of those with the same name and version. */
export function unique(libraries: readonly Library[]): Library[] {
  const byId = new Map(libraries.map((library) => [`${library.name}@${library.version}`, library]))
  return [...byId.keys()].sort().map((id) => byId.get(id)!)
}

function readLibrary(folder: string): Library {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) throw new Error(`${folder} has no package.json`)
  const { name, version, license } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const texts = readdirSync(folder)
    .filter((entry) => licenceFile.test(entry))
    .sort()
    .map((entry) => readFileSync(join(folder, entry), 'utf8').trim())
  return { name: name!, version: version!, licence: named(name!, license), text: texts.join('\n\n') || null }
}

function named(name: string, licence: string | null | undefined): string {
  if (typeof licence !== 'string' || licence === '') throw new Error(`${name} does not name its licence`)
  return licence
}
