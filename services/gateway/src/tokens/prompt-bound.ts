import type { AddedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import type { MemberSpan } from '../body/members.ts'
import type { MeasuredAudio, MeasuredImage } from './media/measure-media.ts'
import { audioBound, imageBound, type MediaRules, type MediaTokens } from './media/media-bound.ts'
import type { TokenBound } from './token-bound.ts'

/** The body of a request: its bytes, its members, their places, and counts of what affects its tokens. */
export interface BoundedBody {
  bytes: Buffer
  members: Readonly<Record<string, unknown>>
  spans: ReadonlyMap<string, MemberSpan>
  /** Of the JSON reader: items and parts of messages, in order. */
  notes: readonly number[]
  messages: number
  /** Parts of messages. */
  parts: number
  media: ReadonlyArray<MeasuredImage | MeasuredAudio>
  /** How often each text occurs whose schema has the note `label`. */
  labels: ReadonlyMap<string, number>
  /** Inputs of a legacy completion or an embedding. */
  inputs: number
  /** Numbers in lists of numbers, and the bytes of these lists: inputs given as tokens. */
  listedNumbers: number
  listedNumberBytes: number
}

/** Maximum tokens that models put around a part of a message, or around an input. */
export const partTokens = 4

/**
 * Bounds the tokens of a chat's prompt by its size. No tokenizer makes more tokens than a text has bytes. All bytes of
 * the body count, whichever the upstream reads. The model's template adds more. Images and audio have their own bounds.
 *
 * @throws ServiceError unpriced_parameter for media without a bound
 */
export function chatPromptBound(
  { bytes, messages, parts, media }: Pick<BoundedBody, 'bytes' | 'messages' | 'parts' | 'media'>,
  rules: MediaRules,
  added: AddedTokens
): Pick<TokenBound, 'promptTokens' | 'textBytes' | 'others'> {
  let textBytes = bytes.length
  let promptTokens = bytes.length + added.request + messages * added.message + parts * partTokens
  let [audioInputTokens, imageInputTokens] = [0, 0]
  for (const one of media) {
    const bound = mediaBound(one, rules)
    promptTokens += mediaDifference(bound)
    textBytes -= bound.bytes
    if (one.kind === 'audio') audioInputTokens += bound.tokens
    else imageInputTokens += bound.tokens
  }
  if (media.length === 0) return { promptTokens, textBytes }
  return { promptTokens, textBytes, others: { audioInputTokens, imageInputTokens } }
}

/**
 * Bounds the tokens of a legacy completion or an embedding. Its input is a text, a list of tokens, or several of them.
 */
export function inputBound({
  bytes,
  inputs,
  listedNumbers,
  listedNumberBytes
}: Pick<BoundedBody, 'bytes' | 'inputs' | 'listedNumbers' | 'listedNumberBytes'>): Pick<
  TokenBound,
  'promptTokens' | 'textBytes'
> {
  const textBytes = bytes.length - listedNumberBytes
  return { promptTokens: textBytes + listedNumbers + partTokens * inputs, textBytes }
}

const mediaBound = (one: MeasuredImage | MeasuredAudio, rules: MediaRules): MediaTokens =>
  one.kind === 'image' ? imageBound(one, rules) : audioBound(one, rules)

/** What media add to a bound that counts all bytes of the body: their tokens, minus their bytes. */
export const mediaDifference = ({ tokens, bytes }: MediaTokens): number => tokens - bytes
