import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { fold, type MemberSpan } from '../body/members.ts'
import { memberOf } from '../usage/usage.ts'

/** A request's body: its bytes, its members as they were parsed, and where each stands in the bytes. */
export type BoundedBody = {
  bytes: Uint8Array
  members: Readonly<Record<string, unknown>>
  spans: ReadonlyMap<string, MemberSpan>
}

/** What is known of the images that a model reads. */
export type ImageBound = Pick<Model, 'imageTokens'>

/** What models put around a message, a part of it, or an input, at most. */
const messageTokens = 8
const partTokens = 4
/** Bytes of compressed speech for a token, at the fewest: OpenAI counts 10 tokens a second, and 8 kbit/s is little. */
const audioBytesPerToken = 100

/**
 * The most tokens that the prompt of a chat can have, by its size: no tokenizer makes more tokens of a text than it has
 * bytes, and all of the body's bytes count, whatever an upstream may read of them. Images and audio have bounds of their
 * own instead.
 *
 * @throws ServiceError unpriced_parameter for what has no bound
 */
export function chatPromptBound({ bytes, members }: BoundedBody, model: ImageBound): number {
  let tokens = bytes.length
  for (const message of members.messages as Array<Record<string, unknown>>) {
    tokens += messageTokens
    const { content, audio } = message
    if (audio != null) throw unpriced('messages: audio of an earlier answer')
    if (Array.isArray(content)) tokens += partsDifference(content, model)
    for (const name in message) {
      if (name.length === 7 && name !== 'content' && fold(name) === 'content') throw misspelt(name)
    }
  }
  return tokens
}

/** The same of what legacy completions or embeddings read: a text, several, one as tokens, or several as tokens. */
export function inputBound({ bytes, members }: BoundedBody, member: 'prompt' | 'input'): number {
  const input = members[member]
  return bytes.length + partTokens * (Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1)
}

/** As {@link chatPromptBound}, with the texts of messages counted. */
export function countedChatPrompt(
  { bytes, members, spans }: BoundedBody,
  model: ImageBound,
  count: (text: string) => number
): number {
  let tokens = bytes.length - lengthOf(spans.get('messages'))
  for (const message of members.messages as Array<Record<string, unknown>>) {
    tokens += messageTokens + valueBytes({ ...message, content: null })
    const { content } = message
    if (typeof content === 'string') tokens += count(content)
    else if (Array.isArray(content)) {
      tokens += partsDifference(content, model)
      for (const part of content as Array<Record<string, unknown> | null>) {
        const text = part?.text
        tokens += typeof text === 'string' ? valueBytes({ ...part, text: null }) + count(text) : valueBytes(part)
      }
    }
  }
  return tokens
}

/** As {@link inputBound}, with the texts counted. */
export function countedInput(
  { bytes, members, spans }: BoundedBody,
  member: 'prompt' | 'input',
  count: (text: string) => number
): number {
  const tokensOf = (input: unknown): number => {
    if (typeof input === 'string') return count(input) + partTokens
    if (!Array.isArray(input)) return partTokens
    if (typeof input[0] === 'number') return input.length + partTokens
    return input.reduce<number>((sum, one) => sum + tokensOf(one), 0)
  }
  return bytes.length - lengthOf(spans.get(member)) + tokensOf(members[member])
}

/** What the parts of a message count beside their bytes, and of media instead of them. */
function partsDifference(parts: readonly unknown[], model: ImageBound): number {
  let tokens = 0
  for (const part of parts) {
    tokens += partTokens
    if (typeof part !== 'object' || part === null) throw unpriced('messages: a part that is no object')
    for (const name in part) if (!partNames.has(name) && partNames.has(fold(name))) throw misspelt(name)
    const { type } = part as { type?: unknown }
    if (type === 'image_url') tokens += imageDifference(part, model)
    else if (type === 'input_audio') tokens += audioDifference(part)
    else if (!textTypes.has(type))
      throw unpriced(`messages: a part of type ${JSON.stringify(String(type).slice(0, 40))}`)
  }
  return tokens
}

const textTypes = new Set<unknown>(['text', 'refusal', 'thinking', 'reasoning'])
const partNames = new Set(['type', 'text', 'image_url', 'input_audio'])

function imageDifference(part: object, { imageTokens }: ImageBound): number {
  const image = memberOf(part, 'image_url')
  const url = typeof image === 'string' ? image : memberOf(image, 'url')
  return imageTokens - (typeof url === 'string' ? url.length : 0)
}

function audioDifference(part: object): number {
  const data = memberOf(memberOf(part, 'input_audio'), 'data')
  if (typeof data !== 'string') throw unpriced('messages: audio that is not part of the request')
  return Math.ceil((data.length * 0.75) / audioBytesPerToken) - data.length
}

/** Bytes of all texts within a value, with something for what is around them. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  for (const name in value) bytes += Buffer.byteLength(name) + valueBytes(memberOf(value, name)) + 4
  return bytes
}

const lengthOf = (span: MemberSpan | undefined): number => (span === undefined ? 0 : span.end - span.start)

const unpriced = (what: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `${what} has no price here.` })

const misspelt = (name: string): ServiceError =>
  new ServiceError('invalid_request', { message: `messages: write ${name} as ${fold(name)}.` })
