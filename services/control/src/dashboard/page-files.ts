import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file of each address, such as `/dashboard/requests/:id`. */
export type PageFiles = ReadonlyArray<readonly [address: RegExp, file: string]>

/**
 * Reads which HTML file of a build has the page of an address. The files differ in what they tell the browser to load at
 * once.
 *
 * @param build a build of the dashboard
 */
export function readPageFiles(build: string): PageFiles {
  const index = join(build, 'pages.json')
  if (!existsSync(index)) return []
  const files = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>
  return Object.entries(files).map(([address, file]) => [patternOf(address), file])
}

/** The file of a path. Unknown paths get the one that loads least; the page itself says that there is nothing. */
export function fileOf(files: PageFiles, path: string): string {
  return files.find(([address]) => address.test(path))?.[1] ?? 'index.html'
}

/** Matches an address with a value for each `:name`, and with or without a slash at the end. */
const patternOf = (address: string): RegExp =>
  new RegExp(`^${address.replaceAll(/:\w+/g, '[^/]+').replace(/\/$/, '')}/?$`)
