import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { memberOf } from '../body/member-of.ts'
import { measureAudio, measureImage } from './media/measure-media.ts'
import { audioBound, imageBound, type MediaRules } from './media/media-bound.ts'
import { mediaDifference, messageTokens, partTokens } from './prompt-bound.ts'

/** A request whose prompt is to be counted: its body, which has been read before. */
export type CountablePrompt = {
  body: Uint8Array
  kind: ModelKind
  media: MediaRules
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
}

/** The most tokens that a prompt can have, where its texts are counted by the tokenizer. */
export function countPrompt({ body, kind, media, promptBytes }: CountablePrompt): number {
  const members = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as ParsedBody['members']
  const parsed = { bytes: body.length, members, promptBytes }
  if (kind === 'chat') return countedChatPrompt(parsed, media, countTokens)
  return countedInput(parsed, kind === 'embedding' ? 'input' : 'prompt', countTokens)
}

/** A body that is parsed as a whole, to be counted. */
type ParsedBody = {
  bytes: number
  members: Readonly<Record<string, unknown>>
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
}

/** As {@link chatPromptBound}, with the texts of messages counted. */
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

/** As {@link inputBound}, with the texts counted. */
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

/** What the media of a part count instead of their bytes. Some servers go by these members, whatever the type. */
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

/** Bytes of all texts within a value, with something for what is around them. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  for (const name in value) bytes += Buffer.byteLength(name) + valueBytes(memberOf(value, name)) + 4
  return bytes
}
