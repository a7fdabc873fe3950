import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)

/**
 * A file or folder of the workspace that is in no package: what `deploy` ships, the docs, the root itself. Packages find
 * each other by name; only this module knows how deep they lie.
 *
 * @param path from the root; '' for the root
 */
export function workspaceUrl(path: string): URL {
  return new URL(path, root)
}

/** The same as a path. That of the root ends in a slash. */
export function workspaceFile(path: string): string {
  return fileURLToPath(workspaceUrl(path))
}
