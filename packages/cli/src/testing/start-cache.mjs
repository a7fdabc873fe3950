// @ts-check
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * What programs of this installation remember for the next: a directory for each installation, so that it ends with the
 * next one. Without a recorded installation, nothing is remembered.
 */

/** The workspace's URL, with a slash at the end. */
export const root = new URL('../../../../', import.meta.url).href
const digest = read(fileURLToPath(new URL('node_modules/.tollgate-setup', root)))?.slice(0, 16) ?? null
/** The path of the directory; null without a recorded installation. */
export const startCache = digest === null ? null : fileURLToPath(new URL(`node_modules/.cache/start-${digest}`, root))

/**
 * The URLs of the bundled libraries by specifier; empty before they are bundled.
 *
 * @returns {Record<string, string>}
 */
export function readLibraries() {
  return startCache === null ? {} : JSON.parse(read(`${startCache}/libraries.json`) ?? '{}')
}

/** @typedef {{ url: string, format: string | null | undefined }} Module */

/** Reads what earlier programs resolved. */
export function readResolved() {
  /** @type {Record<string, Record<string, Module>>} by the directory of the importing package, and by specifier */
  const known = startCache === null ? {} : JSON.parse(read(`${startCache}/resolved.json`) ?? '{}')
  /** @type {Array<[directory: string, specifier: string, module: Module]>} */
  const added = []
  return {
    added,
    /** @param {string} directory @param {string} specifier @returns {Module | undefined} */
    find: (directory, specifier) => known[directory]?.[specifier],
    /** @param {string} directory @param {string} specifier @param {Module} module */
    add(directory, specifier, module) {
      known[directory] ??= {}
      known[directory][specifier] = module
      added.push([directory, specifier, module])
    },
    known
  }
}

/**
 * Adds what this program resolved to what others have saved by now.
 *
 * @param {ReturnType<typeof readResolved>} resolved
 */
export function saveResolved(resolved) {
  if (startCache === null || resolved.added.length === 0) return
  const latest = readResolved()
  for (const [directory, specifier, found] of resolved.added) latest.add(directory, specifier, found)
  const own = `${startCache}/resolved.json.${process.pid}`
  try {
    writeFileSync(own, JSON.stringify(latest.known))
    renameSync(own, `${startCache}/resolved.json`)
  } catch {
    // The directory does not exist yet, or this program may not write to it.
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
