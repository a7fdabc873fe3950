import type { AddedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { memberOf } from '../body/json-text.ts'
import { measureAudio, measureImage } from './media/measure-media.ts'
import { audioBound, imageBound, type MediaRules } from './media/media-bound.ts'
import { mediaDifference, partTokens } from './prompt-bound.ts'

/** What a prompt is: messages with parts, a text or items of a response, a text or parts, or texts and lists of tokens. */
export type PromptForm = 'messages' | 'items' | 'parts' | 'texts'

/** A request whose prompt can be counted. Its body has been checked before. */
export interface CountablePrompt {
  body: Uint8Array
  /** The member that holds the prompt. */
  member: string
  form: PromptForm
  media: MediaRules
  /** What the model's template adds. */
  template: AddedTokens
  /** Bytes of the member that holds the prompt. */
  promptBytes: number
  /** The maximum tokens of earlier answers that the request refers to. */
  storedTokens: number
}

/** Bounds the tokens of a prompt. Its texts are counted by the tokenizer, the rest by its bytes. */
export function countPrompt(prompt: CountablePrompt): number {
  return countBody(prompt) + prompt.storedTokens
}

function countBody({ body, member, form, media, template, promptBytes }: CountablePrompt): number {
  const members = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as Record<
    string,
    unknown
  >
  const parsed = { rest: body.length + template.request - promptBytes, prompt: members[member], template }
  if (form === 'texts') return countedInput(parsed, countTokens)
  if (form === 'parts') return parsed.rest + countedContent(parsed.prompt, media, countTokens)
  return (form === 'items' ? countedItems : countedMessages)(parsed, media, countTokens)
}

/** A parsed body. */
interface ParsedBody {
  /** Its bytes without the prompt, with what the template adds to each request. */
  rest: number
  prompt: unknown
  template: AddedTokens
}

/** Bounds the prompt of a chat, as `chatPromptBound` does, and counts the texts of messages. */
function countedMessages(
  { rest, prompt, template }: ParsedBody,
  rules: MediaRules,
  count: (text: string) => number
): number {
  let tokens = rest
  for (const message of prompt as Array<Record<string, unknown>>) {
    tokens += template.message + valueBytes({ ...message, content: null })
    const { content } = message
    tokens += countedContent(content, rules, count)
  }
  return tokens
}

/** Bounds the tokens of a text, or of a list of texts and parts whose texts are counted. */
function countedContent(content: unknown, rules: MediaRules, count: (text: string) => number): number {
  if (typeof content === 'string') return count(content)
  if (!Array.isArray(content)) return 0
  let tokens = 0
  for (const part of content as Array<Record<string, unknown> | string>) {
    if (typeof part === 'string') {
      tokens += partTokens + count(part)
      continue
    }
    const { text } = part
    tokens += partTokens + partDifference(part, rules)
    tokens += typeof text === 'string' ? valueBytes({ ...part, text: null }) + count(text) : valueBytes(part)
  }
  return tokens
}

/**
 * Bounds the input of a response, as `chatPromptBound` does, and counts the texts of messages and of tools' outputs.
 */
function countedItems(
  { rest: around, prompt: input, template }: ParsedBody,
  rules: MediaRules,
  count: (text: string) => number
): number {
  const rest = around + template.message
  if (!Array.isArray(input)) return rest + countedContent(input, rules, count)
  let tokens = rest
  for (const item of input as Array<Record<string, unknown>>) {
    const { content, output } = item
    // A screenshot is a single part.
    const parts = output !== null && typeof output === 'object' && !Array.isArray(output) ? [output] : output
    tokens += template.message + valueBytes({ ...item, content: null, output: null })
    tokens += countedContent(content, rules, count) + countedContent(parts, rules, count)
  }
  return tokens
}

/** Bounds the inputs, as `inputBound` does, and counts their texts. */
function countedInput({ rest, prompt }: ParsedBody, count: (text: string) => number): number {
  const tokensOf = (input: unknown): number => {
    if (typeof input === 'string') return count(input) + partTokens
    if (!Array.isArray(input)) return partTokens
    if (typeof input[0] === 'number') return input.length + partTokens
    return input.reduce<number>((sum, one) => sum + tokensOf(one), 0)
  }
  return rest + tokensOf(prompt)
}

/** The tokens of a part's media, minus their bytes. Some servers read these members whatever the part's type. */
function partDifference(part: Record<string, unknown>, rules: MediaRules): number {
  const { image_url: image, input_audio: audio } = part
  let tokens = 0
  if (image != null) {
    const url = typeof image === 'string' ? image : memberOf(image, 'url')
    const detail = typeof image === 'string' ? part.detail : memberOf(image, 'detail')
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
