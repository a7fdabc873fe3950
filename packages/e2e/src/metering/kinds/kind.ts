import { type ApiName, clientApis } from '../client-apis.ts'

/** When a client stops reading. The finish of a stream comes before its usage. */
export type Reading =
  | 'whole'
  | 'hangs up before the answer'
  | 'hangs up at random'
  | 'hangs up at a word'
  | 'hangs up at the finish'

/** Members of a request, with random lengths. */
export type Ask = (random: () => number) => Record<string, unknown>

/** A kind of request. */
export interface Kind {
  readonly name: string
  readonly api: ApiName
  /** Below `/v1`. */
  readonly path: string
  /** Its share of all requests, relative to other kinds. */
  readonly weight: number
  readonly reading: Reading
  /** Whether the model server reports its bill, with a whole answer. */
  readonly isReported: boolean
  readonly isFree: boolean
  /** Whether the model server may bill more than a request of this kind allows it. */
  readonly costsMore: boolean
  /** Whether the request continues a stored response, which another key of the account asked for and gives to it. */
  readonly continues: boolean
  /** Whether the request is sent several times with one `Idempotency-Key`. */
  readonly repeats: boolean
  readonly body: Ask
}

export type Changes = Partial<Omit<Kind, 'name' | 'api' | 'body'>>

/** @param body is the whole body, without the mark of its sender */
export function kindOf(api: ApiName, name: string, body: Ask, changes: Changes = {}): Kind {
  const { path } = clientApis[api]
  return {
    name: api === 'chat' ? name : `${api}: ${name}`,
    api,
    path,
    weight: 2,
    reading: 'whole',
    isReported: true,
    isFree: false,
    costsMore: false,
    continues: false,
    repeats: false,
    ...changes,
    body
  }
}

/** The same request, whole and streamed. @param toKind makes a kind from its name, members and changes */
export function wholeAndStreamed(
  toKind: (name: string, members: Ask, changes: Changes) => Kind,
  name: string,
  members: Ask = () => ({}),
  changes: Changes = {}
): Kind[] {
  const streaming: Ask = (random) => ({ ...members(random), stream: true })
  return [toKind(name, members, changes), toKind(`${name}, streamed`, streaming, changes)]
}

/** The four moments at which clients hang up on a stream, each as its own kind. */
export function hangUps(toKind: (name: string, changes: Changes) => Kind, name: string): Kind[] {
  const readings: Reading[] = [
    'hangs up before the answer',
    'hangs up at a word',
    'hangs up at random',
    'hangs up at the finish'
  ]
  return readings.map((reading) => toKind(`${name}, ${reading}`, { reading, weight: 1 }))
}

export const some = (random: () => number, max: number): number => 1 + Math.floor(random() * max)
export const words = (random: () => number, max: number): string => `Say ${some(random, max)} words.`
export const streamed: Ask = () => ({ stream: true })

/** Tells the model server how to answer, within a text of the prompt. @param directives such as `cached-tokens=5` */
export const marker = (...directives: readonly string[]): string => `[sandbox+${directives.join('+')}]`

/** A text above the step of prices: about 360 tokens, or 6 for each sentence. */
export const longText = (random: () => number, sentences = 60): string =>
  `${'Think about the sea again. '.repeat(sentences)}${some(random, 9)}`

/** The schema of a tool's arguments. */
export const weatherArguments = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city']
}
export const weatherTool = { name: 'get_weather', description: 'The weather of a city.' }

/** How the model server can report fewer searches than its answer has. */
export const oddSearches = ['missing', 'null', 'text', 'negative', 'zero', 'one'] as const

/** The kinds of invalid token counts that the model server can report. */
export const oddUsages = ['missing', 'null', 'text', 'fraction', 'negative', 'zero', 'none'] as const
