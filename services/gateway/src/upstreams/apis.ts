import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'

const openaiCompatible: readonly ApiName[] = ['chat', 'completions', 'embeddings']

/** Providers with further APIs, by host. An entry of the upstreams file may say otherwise. */
const byHost: ReadonlyArray<readonly [host: RegExp, speaks: readonly ApiName[]]> = [
  [/(^|\.)openai\.com$/i, [...openaiCompatible, 'responses', 'moderations']],
  [/(^|\.)mistral\.ai$/i, [...openaiCompatible, 'moderations']],
  [/(^|\.)openai\.azure\.com$/i, [...openaiCompatible, 'responses']],
  [/(^|\.)(groq\.com|x\.ai|openrouter\.ai)$/i, [...openaiCompatible, 'responses']],
  [/(^|\.)anthropic\.com$/i, ['chat', 'messages']]
]

/** The APIs that a provider speaks, by its host: those of an OpenAI-compatible provider if the host is unknown. */
export function apisOfHost(host: string): readonly ApiName[] {
  return byHost.find(([pattern]) => pattern.test(host))?.[1] ?? openaiCompatible
}
