/** The APIs of models, by the last part of their paths. */
export const apis = ['chat', 'completions', 'embeddings', 'responses', 'messages'] as const
/** An API that a client calls and an upstream speaks. */
export type Api = (typeof apis)[number]

/** The path of each API at the gateway. */
export const apiPaths: Readonly<Record<Api, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  responses: '/v1/responses',
  messages: '/v1/messages'
}

const openaiCompatible: readonly Api[] = ['chat', 'completions', 'embeddings']

/** Providers with further APIs, by host. An entry of the upstreams file may say otherwise. */
const byHost: ReadonlyArray<readonly [host: RegExp, speaks: readonly Api[]]> = [
  [/(^|\.)(openai\.com|openai\.azure\.com)$/i, [...openaiCompatible, 'responses']],
  [/(^|\.)(groq\.com|x\.ai|openrouter\.ai)$/i, [...openaiCompatible, 'responses']],
  [/(^|\.)anthropic\.com$/i, ['chat', 'messages']]
]

/** The APIs that a provider speaks, by its host: those of an OpenAI-compatible provider if the host is unknown. */
export function apisOfHost(host: string): readonly Api[] {
  return byHost.find(([known]) => known.test(host))?.[1] ?? openaiCompatible
}
