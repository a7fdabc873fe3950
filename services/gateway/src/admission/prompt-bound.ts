import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { fold, type MemberSpan } from '../body/members.ts'
import { hasRepeatedMember } from '../body/repeated-members.ts'
import { memberOf } from '../usage/usage.ts'
import { audioBound, imageBound, type MediaRules, type MediaTokens, refusedMedia } from './media/part-tokens.ts'

/** A request's body: its bytes, its members as they were parsed, and where each stands in the bytes. */
export type BoundedBody = {
  bytes: Buffer
  members: Readonly<Record<string, unknown>>
  spans: ReadonlyMap<string, MemberSpan>
}

/** What models put around a message, a part of it, or an input, at most. */
const messageTokens = 8
const partTokens = 4

/**
 * The most tokens that the prompt of a chat can have, by its size: no tokenizer makes more tokens of a text than it has
 * bytes, and all of the body's bytes count, whatever an upstream may read of them. Images and audio have bounds of their
 * own instead.
 *
 * @throws ServiceError unpriced_parameter for what has no bound, invalid_request for what upstreams may read differently
 */
export function chatPromptBound({ bytes, members }: BoundedBody, media: MediaRules): number {
  if (mentionsMedia(bytes)) checkMediaRequest(bytes, members)
  let tokens = bytes.length
  for (const message of members.messages as Array<Record<string, unknown>>) {
    tokens += messageTokens
    const { content, audio } = message
    if (audio != null) throw unpriced('audio of an earlier answer')
    if (typeof content !== 'string' && content != null) {
      if (!Array.isArray(content)) throw invalid('content must be a text or a list of parts')
      tokens += partsDifference(content, media)
    }
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
  media: MediaRules,
  count: (text: string) => number
): number {
  let tokens = bytes.length - lengthOf(spans.get('messages'))
  for (const message of members.messages as Array<Record<string, unknown>>) {
    tokens += messageTokens + valueBytes({ ...message, content: null })
    const { content } = message
    if (typeof content === 'string') tokens += count(content)
    else if (Array.isArray(content)) {
      tokens += partsDifference(content, media)
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
function partsDifference(parts: readonly unknown[], media: MediaRules): number {
  let tokens = 0
  for (const part of parts) {
    tokens += partTokens
    if (typeof part !== 'object' || part === null) throw unpriced('a part that is no object')
    checkSpelling(part, partNames)
    const { type, image_url: image, input_audio: audio, file } = part as Record<string, unknown>
    // Nobody can tell from outside how many pages a file has, and each is an image and text.
    if (type === 'file' || file != null)
      throw refusedMedia('no files are accepted, because their tokens cannot be bounded')
    if (!knownTypes.has(type)) throw unpriced(`a part of type ${JSON.stringify(String(type).slice(0, 40))}`)
    // Some servers go by these members, whatever the type.
    if (type === 'image_url' || image != null) {
      checkSpelling(image, imageNames)
      tokens += difference(imageBound(image, media))
    }
    if (type === 'input_audio' || audio != null) {
      checkSpelling(audio, audioNames)
      tokens += difference(audioBound(audio, media))
    }
  }
  return tokens
}

const difference = ({ tokens, bytes }: MediaTokens): number => tokens - bytes

const knownTypes = new Set<unknown>(['text', 'refusal', 'thinking', 'reasoning', 'image_url', 'input_audio'])
const partNames = new Set(['type', 'text', 'image_url', 'input_audio', 'file'])
const imageNames = new Set(['url', 'detail'])
const audioNames = new Set(['data', 'format'])

/** @throws ServiceError invalid_request for a name that is one of these in another spelling */
function checkSpelling(value: unknown, names: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const name in value) if (!names.has(name) && names.has(fold(name))) throw misspelt(name)
}

/** Whether a body may have images or audio: names may be written with escapes, too. */
function mentionsMedia(bytes: Buffer): boolean {
  return bytes.includes('image_url"') || bytes.includes('input_audio"') || bytes.includes('\\u00')
}

/** Each may take some µs to measure; no provider takes so many. */
const maxParts = 4096

/**
 * A few bytes may refer to an image of thousands of tokens: it must not hide behind a member of the same name, of which
 * upstreams may believe the other one.
 *
 * @throws ServiceError invalid_request
 */
function checkMediaRequest(bytes: Buffer, members: BoundedBody['members']): void {
  let parts = 0
  for (const { content } of members.messages as Array<Record<string, unknown>>) {
    if (Array.isArray(content)) parts += content.length
  }
  if (parts > maxParts) throw invalid(`more than ${maxParts} parts in a request with images or audio`)
  if (hasRepeatedMember(bytes, members))
    throw invalid('an object has a member twice, in a request with images or audio')
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
  new ServiceError('unpriced_parameter', { message: `messages: ${what} has no price here.` })

const invalid = (what: string): ServiceError => new ServiceError('invalid_request', { message: `messages: ${what}.` })

const misspelt = (name: string): ServiceError => invalid(`write ${name} as ${fold(name)}`)
