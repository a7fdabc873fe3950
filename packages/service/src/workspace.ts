import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)

/**
 * A file or folder of the workspace outside packages: in `deploy`, in `docs` or at the root. Packages find each other
 * by name, so only this module knows its depth in the tree.
 *
 * @param path from the root; '' for the root
 */
export function workspaceUrl(path: string): URL {
  return new URL(path, root)
}

/** The same as a path. The path of the root ends in a slash. */
export function workspaceFile(path: string): string {
  return fileURLToPath(workspaceUrl(path))
}

/** The version of Tollgate. The `package.json` at the root of the workspace is its only source. */
export const version = (JSON.parse(readFileSync(workspaceFile('package.json'), 'utf8')) as { version: string }).version
