import { catalogOf } from './start-gateway.ts'

/**
 * Models whose streams are charged differently if they are cut: `open` for the part that arrived, `thinking` and
 * `billed` for more, because the first one hides output, and the provider of the second one goes on.
 */
export const cutCatalog = catalogOf({
  open: [{ upstream: 'test' }],
  thinking: [{ upstream: 'test' }],
  billed: [{ upstream: 'billing' }]
})
for (const model of Object.values(cutCatalog.models)) model.tokenizer = 'o200k_base'
cutCatalog.models.thinking!.hidesOutput = true

/** The upstreams file of these models. @param timeouts as YAML */
export function cutUpstreams(url: string, timeouts = '{}'): string {
  const entry = (more: string) =>
    `{ base_url: '${url}/v1', credential_variable: TEST_CREDENTIAL, timeouts_ms: ${timeouts}${more} }`
  return `upstreams: { test: ${entry('')}, billing: ${entry(', abort_stops_billing: false')} }`
}

/** Events of a chat: a word, the usage, and the end. */
export const word = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
export const usageEvent = (usage: object): string => `data: ${JSON.stringify({ choices: [], usage })}\n\n`
export const done = 'data: [DONE]\n\n'
