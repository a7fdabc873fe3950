import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type ApiName, clientApis } from '../ask.ts'
import { chatModel, completionModel, embeddingModel, everyPrice } from '../catalog.ts'

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

/** Seconds of silence as a WAV file in base64: 8 bit, 8 kHz. */
function silence(seconds: number): string {
  const sound = Buffer.alloc(44 + 8000 * seconds, 0x80)
  sound.write('RIFF')
  sound.writeUInt32LE(sound.length - 8, 4)
  sound.write('WAVEfmt ', 8)
  sound.writeUInt32LE(16, 16)
  sound.writeUInt16LE(1, 20)
  sound.writeUInt16LE(1, 22)
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(8000, 28)
  sound.writeUInt16LE(1, 32)
  sound.writeUInt16LE(8, 34)
  sound.write('data', 36)
  sound.writeUInt32LE(sound.length - 44, 40)
  return sound.toString('base64')
}

/** A streamed chat whose prompt is up to 15 s of audio. */
export const spoken = (random: () => number) => {
  const input_audio = { data: silence(some(random, 15)), format: 'wav' }
  return { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }], stream: true }
}

/** A PNG without pixels in base64, with sides up to 1,500 px. */
export function picture(random: () => number): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(some(random, 1500), 0)
  header.writeUInt32BE(some(random, 1500), 4)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const chunks = [chunk('IHDR', header), chunk('IDAT', Buffer.alloc(8)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks]).toString('base64')
}

const counted = (name: string, upstream?: string): Model => ({ ...chatModel(name, upstream), tokenizer: 'o200k_base' })
const reasoning = (name: string, upstream?: string): Model => ({ ...counted(name, upstream), hidesOutput: true })
const priced = (model: Model): Model => ({ ...model, prices: everyPrice })

/** Catalog name → model. The upstream name tells the model server how to behave; markers in a prompt add to it. */
export const meteredModels: Catalog['models'] = {
  chat: chatModel('x'),
  slow: chatModel('x+first-byte-ms=100'),
  paced: counted('x+pace-ms=5'),
  uncounted: chatModel('x+pace-ms=5'),
  cached: chatModel('x+cached-tokens=7'),
  thinking: reasoning('x+reasoning-tokens=20'),
  pondering: reasoning('x+reasoning-tokens=600+think-ms=60+pace-ms=5'),
  outside: reasoning('x+reasoning-tokens=300+odd-usage=outside'),
  billed: counted('x+bills-aborted+pace-ms=5', 'billing'),
  listening: { ...counted('x+pace-ms=5'), audio: { tokensPerSecond: 10 } },
  silent: chatModel('x+no-usage'),
  ...Object.fromEntries(oddUsages.map((kind) => [`odd-${kind}`, counted(`x+odd-usage=${kind}`)])),
  ...Object.fromEntries(
    oddUsages.map((kind) => [`thinking-${kind}`, reasoning(`x+reasoning-tokens=300+odd-usage=${kind}`)])
  ),
  broken: chatModel('x+reset-after=6'),
  ending: counted('x+end-after=6'),
  erring: counted('x+error-after=6'),
  hanging: chatModel('x+hang'),
  stalling: chatModel('x+stall-after=6'),
  refusing: chatModel('x+status=400'),
  writer: completionModel('x'),
  embedder: embeddingModel('x'),
  failing: chatModel('x+status=500', 'failing'),
  resetting: chatModel('x+reset-after=0', 'failing'),
  'priced-failing': priced(chatModel('x+status=500', 'failing')),
  flaky: chatModel('x+status=503+every=8', 'flaky'),
  // The model server counts images as these rules do: in chats and responses, and in messages.
  priced: priced({
    ...counted('x+pace-ms=2'),
    images: { rule: 'tiles', base: 85, perTile: 170 },
    audio: { tokensPerSecond: 10 }
  }),
  'priced-messages': priced({ ...counted('x+pace-ms=2'), images: { rule: 'fixed', tokens: 1600 } }),
  'priced-thinking': priced(reasoning('x+reasoning-tokens=90+think-ms=20+pace-ms=2')),
  'priced-billed': priced(counted('x+bills-aborted+pace-ms=5', 'billing'))
}

type Model = Catalog['models'][string]
