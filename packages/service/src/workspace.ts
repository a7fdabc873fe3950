import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)

/**
 * A file or folder of the workspace outside packages: in `deploy`, in `docs` or at the root. Packages find each other by name, so
 * only this module knows its depth in the tree.
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
