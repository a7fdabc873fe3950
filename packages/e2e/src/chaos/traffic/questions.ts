import { type ApiName, clientApis } from '../../metering/client-apis.ts'

/** The APIs that the traffic speaks, in turn. */
export const spokenApis = ['chat', 'responses', 'messages'] as const satisfies readonly ApiName[]
export type SpokenApi = (typeof spokenApis)[number]

/** The API of the n-th request. Streams and single bodies alternate, so it stays the same for two requests. */
export const apiOf = (number: number): SpokenApi => spokenApis[Math.floor(number / 2) % spokenApis.length]!

export interface Question {
  model: string
  text: string
  stream: boolean
  /** Absent for the model's default. */
  maxTokens?: number
}

/** Messages need an output limit. */
const defaultMaxTokens = 1000

/** The same question in each API. */
export function questionTo(api: SpokenApi, { model, text, stream, maxTokens }: Question): object {
  const limit = maxTokens ?? (api === 'messages' ? defaultMaxTokens : undefined)
  const limited = limit === undefined ? {} : { [clientApis[api].outputLimit]: limit }
  const prompt = api === 'responses' ? { input: text } : { messages: [{ role: 'user', content: text }] }
  return { model, stream, ...limited, ...prompt }
}
