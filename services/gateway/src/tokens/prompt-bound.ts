import type { MemberSpan } from '../body/members.ts'
import type { MeasuredAudio, MeasuredImage } from './media/measure-media.ts'
import { audioBound, imageBound, type MediaRules, type MediaTokens } from './media/media-bound.ts'

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
export const messageTokens = 8
export const partTokens = 4

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
  for (const one of media) tokens += mediaDifference(mediaBound(one, rules))
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

const mediaBound = (one: MeasuredImage | MeasuredAudio, rules: MediaRules): MediaTokens =>
  one.kind === 'image' ? imageBound(one, rules) : audioBound(one, rules)

/** What media add to a bound that counts all bytes of the body. */
export const mediaDifference = ({ tokens, bytes }: MediaTokens): number => tokens - bytes
