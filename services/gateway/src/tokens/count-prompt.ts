import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { memberOf } from '../body/member-of.ts'
import { measureAudio, measureImage } from './media/measure-media.ts'
import { audioBound, imageBound, type MediaRules } from './media/media-bound.ts'
import { mediaDifference, messageTokens, partTokens } from './prompt-bound.ts'

/** A request whose prompt can be counted. Its body has been checked before. */
export interface CountablePrompt {
  body: Uint8Array
  kind: ModelKind
  media: MediaRules
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
}

/** Bounds the tokens of a prompt. Its texts are counted by the tokenizer, the rest by its bytes. */
export function countPrompt({ body, kind, media, promptBytes }: CountablePrompt): number {
  const members = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as ParsedBody['members']
  const parsed = { bytes: body.length, members, promptBytes }
  if (kind === 'chat') return countedChatPrompt(parsed, media, countTokens)
  return countedInput(parsed, kind === 'embedding' ? 'input' : 'prompt', countTokens)
}

/** A parsed body. */
interface ParsedBody {
  bytes: number
  members: Readonly<Record<string, unknown>>
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
}

/** Bounds the prompt of a chat, as `chatPromptBound` does, and counts the texts of messages. */
function countedChatPrompt(
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

/** Bounds the inputs, as `inputBound` does, and counts their texts. */
function countedInput(
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

/** The tokens of a part's media, minus their bytes. Some servers read these members whatever the part's type. */
function partDifference({ image_url: image, input_audio: audio }: Record<string, unknown>, rules: MediaRules): number {
  let tokens = 0
  if (image != null) {
    const url = typeof image === 'string' ? image : memberOf(image, 'url')
    const detail = memberOf(image, 'detail')
    tokens += mediaDifference(imageBound(measureImage(String(url), typeof detail === 'string' ? detail : null), rules))
  }
  if (audio != null) tokens += mediaDifference(audioBound(measureAudio(String(memberOf(audio, 'data'))), rules))
  return tokens
}

/** Bounds the tokens of a value: the bytes of its texts, and some for the structure around them. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  for (const name in value) bytes += Buffer.byteLength(name) + valueBytes(memberOf(value, name)) + 4
  return bytes
}
