import { count } from '../results/count.ts'
import { type Finding, type Result, resultsOf } from '../results/result.ts'
import type { FileFacts, FilePaths } from './read-files.ts'

const { ok, skipped, error, warning } = resultsOf('files')

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

/** A credential that is not set, or none at all. */
const isMissing = /: missing|: no upstream is set up/

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
