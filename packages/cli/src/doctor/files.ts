import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type InspectedUpstreams, inspectUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import { count, type Finding, type Result, resultsOf } from './results.ts'
import type { Settings, Variables } from './settings.ts'

export const emptyCatalog: Catalog = { models: {}, plans: {} }
const { ok, skipped, error, warning } = resultsOf('files')

/** A credential that is not set, or none at all. */
const isMissing = /: missing|: no upstream is set up/

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

interface FilePaths {
  readonly cwd: string
  readonly catalogFile: string
  readonly upstreamsFile: string
  readonly dashboardDir: string
  /** Directories that processes write to; they may not exist yet. */
  readonly written: readonly string[]
}

export function pathsOf({ control, gateway, embedded, env }: Settings, cwd: string): FilePaths | null {
  if (control === null || gateway === null) return null
  const pglite = /^pglite:(?!memory$)(.+)$/.exec(control.databaseUrl)?.[1]
  const written = [
    ...(pglite === undefined ? [] : [pglite]),
    ...(embedded.length === 0 ? [] : [env.TOLLGATE_DATA_DIR || '.tollgate'])
  ]
  return {
    cwd,
    catalogFile: control.catalogFile,
    upstreamsFile: gateway.UPSTREAMS_FILE,
    dashboardDir: control.dashboardDir,
    written: [...new Set(written.map((path) => resolve(cwd, path)))]
  }
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

export const catalogOf = (files: FileFacts | null): Catalog | null =>
  files !== null && 'content' in files.catalog ? files.catalog.content : null

/**
 * Whether this is a pod of Kubernetes without any of the variables that the upstreams file names: only gateways have
 * them.
 */
export const isControlPod = (env: Variables, named: readonly string[]): boolean =>
  Boolean(env.KUBERNETES_SERVICE_HOST) && named.every((name) => !env[name])

/** @param isControlPod whether the credentials of upstreams are in other pods */
export function judgeFiles(facts: FileFacts, paths: FilePaths, isControlPod: boolean): Result[] {
  return [
    ...judgeCatalog(facts, paths),
    ...judgeUpstreamsFile(facts, paths, isControlPod),
    ...judgeDashboard(facts, paths),
    ...judgeDirectories(facts),
    ...judgeEnvFile(facts)
  ]
}

function judgeCatalog({ catalog }: FileFacts, { catalogFile }: FilePaths): Result[] {
  if ('content' in catalog) {
    const { models, plans } = catalog.content
    return [
      ok(
        `The catalog has ${count(Object.keys(models).length, 'model')} and ${count(Object.keys(plans).length, 'plan')}.`
      )
    ]
  }
  return catalog.problems.map((problem) =>
    error('catalog_invalid', {
      what: problem,
      why: 'Control does not publish this catalog. If no other catalog is in force, it does not start.',
      fix: `Correct ${catalogFile}. The comments in deploy/catalog.yaml describe every member.`
    })
  )
}

function judgeUpstreamsFile({ upstreams }: FileFacts, { upstreamsFile }: FilePaths, isControlPod: boolean): Result[] {
  const all = 'content' in upstreams ? upstreams.content.problems : upstreams.problems
  const problems = isControlPod ? all.filter((problem) => !isMissing.test(problem)) : all
  if (problems.length < all.length) {
    return [
      skipped(
        'The keys of providers are not checked: in Kubernetes, only the gateways have them. /readyz on the admin port of a gateway names each key that is refused.'
      ),
      ...problems.map((problem) => describeUpstreamProblem(problem, upstreamsFile))
    ]
  }
  if ('content' in upstreams && problems.length === 0) {
    return [
      ok(`The upstreams file has ${count(upstreams.content.settings.length, 'upstream')}, and every credential is set.`)
    ]
  }
  return problems.map((problem) => describeUpstreamProblem(problem, upstreamsFile))
}

function describeUpstreamProblem(problem: string, upstreamsFile: string): Finding {
  return error('upstreams_invalid', {
    what: problem,
    why: 'The gateway does not start with this.',
    fix: isMissing.test(problem)
      ? `Set the variable to the API key of the provider, or remove the upstream from ${upstreamsFile}.`
      : `Correct ${upstreamsFile}. The comments in deploy/upstreams.yaml describe every member.`
  })
}

function judgeDashboard({ hasDashboard }: FileFacts, { dashboardDir }: FilePaths): Finding[] {
  if (hasDashboard) return []
  return [
    error('dashboard_absent', {
      what: `No built dashboard is in ${dashboardDir}.`,
      why: 'Customers see a page that says so instead of the dashboard.',
      fix: 'npm run build'
    })
  ]
}

function judgeDirectories({ directories }: FileFacts): Finding[] {
  return directories
    .filter(({ isWritable }) => !isWritable)
    .map(({ path }) =>
      error('directory_not_writable', {
        what: `This user may not write to ${path}.`,
        why: 'Tollgate stores data there, and does not start.',
        fix: `sudo install -d -m 700 -o "$(id -un)" ${path}, or name another directory.`
      })
    )
}

function judgeEnvFile({ isEnvReadable }: FileFacts): Finding[] {
  if (!isEnvReadable) return []
  return [
    warning('env_readable', {
      what: 'Other users of this machine can read .env.',
      why: 'It has secrets.',
      fix: 'chmod 600 .env'
    })
  ]
}
