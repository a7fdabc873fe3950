import type { MemberSpan } from '../body/members.ts'
import { memberOf } from '../usage/usage.ts'
import {
  audioBound,
  imageBound,
  type MeasuredAudio,
  type MeasuredImage,
  type MediaRules,
  type MediaTokens,
  measureAudio,
  measureImage
} from './media/part-tokens.ts'

/** A request's body: its bytes, its own members, where each stands in the bytes, and how much of what is in it. */
export type BoundedBody = {
  bytes: Buffer
  members: Readonly<Record<string, unknown>>
  spans: ReadonlyMap<string, MemberSpan>
  messages: number
  /** Of messages. */
  parts: number
  media: ReadonlyArray<MeasuredImage | MeasuredAudio>
  /** Of a legacy completion or embedding. */
  inputs: number
  /** Numbers in lists of numbers, and the bytes of these lists: inputs that are given as tokens. */
  listedNumbers: number
  listedNumberBytes: number
}

/** What models put around a message, a part of it, or an input, at most. */
const messageTokens = 8
const partTokens = 4

/**
 * The most tokens that the prompt of a chat can have, by its size: no tokenizer makes more tokens of a text than it has
 * bytes, and all of the body's bytes count, whatever an upstream may read of them. Images and audio have bounds of their
 * own instead.
 *
 * @throws ServiceError unpriced_parameter for media that have no bound
 */
export function chatPromptBound(
  { bytes, messages, parts, media }: Pick<BoundedBody, 'bytes' | 'messages' | 'parts' | 'media'>,
  rules: MediaRules
): number {
  let tokens = bytes.length + messages * messageTokens + parts * partTokens
  for (const one of media) tokens += difference(mediaBound(one, rules))
  return tokens
}

/** The same of what legacy completions or embeddings read: a text, several, one as tokens, or several as tokens, which count as they are. */
export const inputBound = ({
  bytes,
  inputs,
  listedNumbers,
  listedNumberBytes
}: Pick<BoundedBody, 'bytes' | 'inputs' | 'listedNumbers' | 'listedNumberBytes'>): number =>
  bytes.length - listedNumberBytes + listedNumbers + partTokens * inputs

/** A body that is parsed as a whole, to be counted. */
export type ParsedBody = {
  bytes: number
  members: Readonly<Record<string, unknown>>
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
}

/** As {@link chatPromptBound}, with the texts of messages counted. */
export function countedChatPrompt(
  { bytes, members, promptBytes }: ParsedBody,
  rules: MediaRules,
  count: (text: string) => number
): number {
  let tokens = bytes - promptBytes
  for (const message of members.messages as Array<Record<string, unknown>>) {
    tokens += messageTokens + valueBytes({ ...message, content: null })
    const { content } = message
    if (typeof content === 'string') tokens += count(content)
    else if (Array.isArray(content)) {
      for (const part of content as Array<Record<string, unknown>>) {
        const { text } = part
        tokens += partTokens + partDifference(part, rules)
        tokens += typeof text === 'string' ? valueBytes({ ...part, text: null }) + count(text) : valueBytes(part)
      }
    }
  }
  return tokens
}

/** As {@link inputBound}, with the texts counted. */
export function countedInput(
  { bytes, members, promptBytes }: ParsedBody,
  member: 'prompt' | 'input',
  count: (text: string) => number
): number {
  const tokensOf = (input: unknown): number => {
    if (typeof input === 'string') return count(input) + partTokens
    if (!Array.isArray(input)) return partTokens
    if (typeof input[0] === 'number') return input.length + partTokens
    return input.reduce<number>((sum, one) => sum + tokensOf(one), 0)
  }
  return bytes - promptBytes + tokensOf(members[member])
}

/** What the media of a part count instead of their bytes. Some servers go by these members, whatever the type. */
function partDifference({ image_url: image, input_audio: audio }: Record<string, unknown>, rules: MediaRules): number {
  let tokens = 0
  if (image != null) {
    const url = typeof image === 'string' ? image : memberOf(image, 'url')
    const detail = memberOf(image, 'detail')
    tokens += difference(imageBound(measureImage(String(url), typeof detail === 'string' ? detail : null), rules))
  }
  if (audio != null) tokens += difference(audioBound(measureAudio(String(memberOf(audio, 'data'))), rules))
  return tokens
}

const mediaBound = (one: MeasuredImage | MeasuredAudio, rules: MediaRules): MediaTokens =>
  one.kind === 'image' ? imageBound(one, rules) : audioBound(one, rules)

const difference = ({ tokens, bytes }: MediaTokens): number => tokens - bytes

/** Bytes of all texts within a value, with something for what is around them. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  for (const name in value) bytes += Buffer.byteLength(name) + valueBytes(memberOf(value, name)) + 4
  return bytes
}
