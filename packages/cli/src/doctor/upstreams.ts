import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { modelsHeaders, type UpstreamSettings } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { catalogOf, emptyCatalog, type FileFacts } from './files.ts'
import { cureFailure, describeFailure, get, type Outcome } from './network.ts'
import { type Checked, count, type Finding, type Result, resultsOf, skip } from './results.ts'
import { nearestName } from './settings.ts'

const { ok, error, warning } = resultsOf('upstreams')

export async function checkUpstreams(files: FileFacts | null, timeoutMs: number): Promise<Checked> {
  if (files === null || !('content' in files.upstreams)) return skip('upstreams', 'the upstreams file')
  const { settings, names, leftOut } = files.upstreams.content
  const catalog = catalogOf(files) ?? emptyCatalog
  const facts = await Promise.all(
    settings.map((upstream) => readUpstream(upstream, modelsRoutedTo(catalog, upstream.name), timeoutMs))
  )
  const results = [
    ...facts.flatMap(judgeUpstream),
    ...describeLeftOut(catalog, leftOut),
    ...judgeRoutes(catalog, names)
  ]
  return { results }
}

interface UpstreamFacts {
  readonly name: string
  readonly host: string
  /** `GET <base_url>/models` */
  readonly list: Outcome
  /** The ids of that list; null if the upstream gives none. */
  readonly models: readonly string[] | null
  /** Routed models that the list lacks and `GET <base_url>/models/<name>` does not know either. */
  readonly unknownModels: readonly string[]
}

/** @param routed the names that the catalog's routes use at this upstream */
async function readUpstream(
  settings: UpstreamSettings,
  routed: readonly string[],
  timeoutMs: number
): Promise<UpstreamFacts> {
  const { name, url, ca } = settings
  const headers = modelsHeaders(settings)
  const ask = (path: string) => get(below(url, path), { headers, ca, timeoutMs })
  const list = await ask('models')
  const models = 'answer' in list && list.answer.status === 200 ? idsOf(list.answer.json) : null
  // Lists may leave out models that the upstream serves, such as fine-tuned ones.
  const absent =
    models === null ? [] : routed.filter((model) => !models.includes(model) && !models.includes(`${model}:latest`))
  const single = await Promise.all(
    absent.map(async (model) => {
      const outcome = await ask(`models/${encodeURIComponent(model)}`)
      return 'answer' in outcome && outcome.answer.status === 200 ? [] : [model]
    })
  )
  return { name, host: url.host, list, models, unknownModels: single.flat() }
}

/** Adds to the path of a base URL, before its query. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url
}

/** OpenAI's list, and the bare array of some others. */
function idsOf(json: unknown): string[] | null {
  const items = Array.isArray(json) ? json : (json as { data?: unknown } | null | undefined)?.data
  if (!Array.isArray(items)) return null
  const ids = items.map((item: unknown) => (item as { id?: unknown } | null)?.id)
  return ids.every((id) => typeof id === 'string') ? ids : null
}

/** The names that the routes of a catalog use at an upstream. */
function modelsRoutedTo(catalog: Catalog, upstream: string): string[] {
  const targets = Object.values(catalog.models).flatMap(({ route }) => route)
  return [...new Set(targets.filter((target) => target.upstream === upstream).map(({ model }) => model))]
}

export function judgeUpstream(facts: UpstreamFacts): Result[] {
  const { name, host, list, models, unknownModels } = facts
  if ('failure' in list) {
    return [
      error('upstream_unreachable', {
        what: describeFailure(`Upstream ${name} (${host})`, list.failure),
        why: 'Requests for its models fail.',
        fix: cureFailure(`base_url of ${name} in UPSTREAMS_FILE`, list.failure)
      })
    ]
  }
  const { status } = list.answer
  if (status !== 200) return [judgeStatus(name, host, status)]
  if (models === null) {
    return [
      warning('upstream_without_list', {
        what: `Upstream ${name} (${host}) does not answer with a list of models.`,
        why: 'Its models could not be compared with the catalog. base_url may lead to a web page.',
        fix: `Check base_url of ${name} in UPSTREAMS_FILE: it ends with the version, as in https://api.openai.com/v1.`
      })
    ]
  }
  const findings = unknownModels.map((model) => {
    const near = nearestName(model, models)
    return error('upstream_model_unknown', {
      what: `Upstream ${name} has no model ${model}.${near === null ? '' : ` It has ${near}.`}`,
      why: 'Requests for the models of the catalog that are routed to it fail.',
      fix: `Correct the route (\`model:\`) in CATALOG_FILE. The names are in ${host}'s list of models.`
    })
  })
  return [ok(`${name} (${host}) accepts the credential and lists ${count(models.length, 'model')}.`), ...findings]
}

function judgeStatus(name: string, host: string, status: number): Result {
  const where = `Upstream ${name} (${host})`
  if (status === 401 || status === 403) {
    return error('upstream_key_refused', {
      what: `${where} refuses the credential (status ${status}).`,
      why: 'Requests for its models fail with 502.',
      fix: `Correct the key in the variable or file that ${name} names in UPSTREAMS_FILE. Some providers want another \`credential_header\`.`
    })
  }
  if (status === 429) {
    return warning('upstream_rate_limited', {
      what: `${where} answers 429: its rate limit or the account's credit is used up.`,
      why: 'Customers get 503 upstream_rate_limited.',
      fix: 'Check limits and credit in the account at the provider.'
    })
  }
  const isAzure = /\.azure\.com(:\d+)?$/.test(host)
  if (status === 404 || status === 405) {
    const text = {
      what: `${where} has no ${isAzure ? 'list of models for a deployment' : 'models at base_url/models'} (status ${status}).`,
      why: isAzure ? 'The credential could not be checked.' : 'base_url is probably wrong. Then all requests fail.',
      fix: `Check base_url of ${name} in UPSTREAMS_FILE: it usually ends in /v1.`
    }
    return isAzure ? warning('upstream_not_found', text) : error('upstream_not_found', text)
  }
  return error('upstream_status', {
    what: `${where} answers ${status} to a request for its models.`,
    why: 'Requests for its models probably fail too.',
    fix: 'Look at the status page of the provider, and check base_url in UPSTREAMS_FILE.'
  })
}

/** Finds routes to upstreams that the file does not have. @param names all upstreams of the file */
export function judgeRoutes(catalog: Catalog, names: readonly string[]): Finding[] {
  const routes = Object.entries(catalog.models).flatMap(([model, { route }]) =>
    route.map(({ upstream }) => ({ model, upstream }))
  )
  const unknown = Map.groupBy(
    routes.filter(({ upstream }) => !names.includes(upstream)),
    ({ upstream }) => upstream
  )
  return [...unknown].map(([upstream, uses]) => {
    const near = nearestName(upstream, names)
    return error('route_without_upstream', {
      what: `The catalog routes ${uses.map(({ model }) => model).join(', ')} to ${upstream}, which the upstreams file does not have.`,
      why: 'Requests for these models fail.',
      fix:
        near === null
          ? `Add ${upstream} to UPSTREAMS_FILE, or change the routes.`
          : `Did you mean ${near}? Correct the route in CATALOG_FILE.`
    })
  })
}

/** Names the optional upstreams that are not set up, in one line. @param leftOut their names */
export function describeLeftOut({ models }: Catalog, leftOut: readonly string[]): Result[] {
  if (leftOut.length === 0) return []
  const isLeftOut = ({ route }: Catalog['models'][string]) => route.every(({ upstream }) => leftOut.includes(upstream))
  const hidden = Object.values(models).filter(isLeftOut).length
  return [
    ok(`Not set up, so left out: ${leftOut.join(', ')}. ${count(hidden, 'model')} of the catalog cannot be called.`)
  ]
}
