import { modelsFields, type UpstreamSettings } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { get, type Outcome } from '../network/get.ts'

export interface UpstreamFacts {
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
export async function readUpstream(
  settings: UpstreamSettings,
  routed: readonly string[],
  timeoutMs: number
): Promise<UpstreamFacts> {
  const { name, url, ca } = settings
  const headers = pairs(modelsFields(settings))
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

function pairs(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < flat.length; index += 2) headers[flat[index]!] = flat[index + 1]!
  return headers
}

/** OpenAI's list, and the bare array of some others. */
function idsOf(json: unknown): string[] | null {
  const items = Array.isArray(json) ? json : (json as { data?: unknown } | null | undefined)?.data
  if (!Array.isArray(items)) return null
  const ids = items.map((item: unknown) => (item as { id?: unknown } | null)?.id)
  return ids.every((id) => typeof id === 'string') ? ids : null
}
