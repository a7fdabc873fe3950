import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import type { MediaRules } from '../admission/media/part-tokens.ts'
import { countedChatPrompt, countedInput, type ParsedBody } from '../admission/prompt-bound.ts'

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
