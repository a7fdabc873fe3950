import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type InspectedUpstreams, inspectUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import type { Variables } from '../settings/repair-config.ts'

/** A file's content, or the problems that its reader reports, one in a line. */
export type FileOutcome<Content> = { readonly content: Content } | { readonly problems: readonly string[] }

/** What is in a place where a process wants to write. */
export interface DirectoryFacts {
  readonly path: string
  readonly isWritable: boolean
}

export interface FileFacts {
  readonly catalog: FileOutcome<Catalog>
  readonly upstreams: FileOutcome<InspectedUpstreams>
  /** Whether the dashboard is built. */
  readonly hasDashboard: boolean
  readonly directories: readonly DirectoryFacts[]
  /** Whether other users of this machine can read `.env`, which has secrets. */
  readonly isEnvReadable: boolean
}

export interface FilePaths {
  readonly cwd: string
  readonly catalogFile: string
  readonly upstreamsFile: string
  readonly dashboardDir: string
  /** Directories that processes write to; they may not exist yet. */
  readonly written: readonly string[]
}

export function readFiles(paths: FilePaths, env: Variables): FileFacts {
  const at = (path: string) => resolve(paths.cwd, path)
  return {
    catalog: readFile(() => loadCatalogFile(at(paths.catalogFile))),
    upstreams: readFile(() => inspectUpstreamsFile(at(paths.upstreamsFile), env)),
    hasDashboard: existsSync(join(at(paths.dashboardDir), 'index.html')),
    directories: paths.written.map((path) => ({ path, isWritable: isWritable(at(path)) })),
    isEnvReadable: isReadableByOthers(at('.env'))
  }
}

function readFile<Content>(read: () => Content): FileOutcome<Content> {
  try {
    return { content: read() }
  } catch (error) {
    if (error instanceof FileError) return { problems: error.message.split('\n') }
    throw error
  }
}

/** Whether this user may write to a directory, or create it. */
function isWritable(path: string): boolean {
  const existing = existsSync(path) ? path : null
  if (existing === null) return dirname(path) !== path && isWritable(dirname(path))
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    return statSync(existing).isDirectory()
  } catch {
    return false
  }
}

function isReadableByOthers(path: string): boolean {
  const entry = statSync(path, { throwIfNoEntry: false })
  return entry !== undefined && process.platform !== 'win32' && (entry.mode & 0o044) !== 0
}
