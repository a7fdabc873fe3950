import { type Static, Type } from 'typebox'
import type { ApiName } from './apis.ts'

/** How the tokens of a prompt are bounded beside its text: images, audio, and what the model's template adds. */

const Tokens = Type.Integer({ minimum: 0, maximum: 1e7 })
const closed = { additionalProperties: false } as const

/**
 * How a provider counts the tokens of an image in a prompt. Every rule has a maximum for images of unknown size.
 */
export const ImageRule = Type.Union([
  /**
   * `base` in low detail. Else `base` and `perTile` for each 512 px tile, of an image fitted into 2048 px and a short
   * side of 768 px.
   */
  Type.Object({ rule: Type.Literal('tiles'), base: Tokens, perTile: Tokens }, closed),
  /** `multiplier` tokens for each square of `sidePx`. An image has at most `budget` squares. */
  Type.Object(
    {
      rule: Type.Literal('patches'),
      sidePx: Type.Integer({ minimum: 1, maximum: 2048 }),
      multiplier: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
      budget: Type.Integer({ minimum: 1, maximum: 1e6 }),
      /** Other budgets, by `detail`. */
      budgetByDetail: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1e6 })))
    },
    closed
  ),
  /** The same for every image: the provider's maximum. */
  Type.Object({ rule: Type.Literal('fixed'), tokens: Tokens }, closed)
])
export type ImageRule = Static<typeof ImageRule>

/** How a provider counts the tokens of audio in a prompt. */
export const AudioRule = Type.Object({ tokensPerSecond: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }) }, closed)
export type AudioRule = Static<typeof AudioRule>

/** Tokens that a model's template adds to a prompt, besides the bytes of the request. */
export const AddedTokens = Type.Object({
  /** For each request: what the template says before and after all messages. */
  request: Type.Integer({ minimum: 0 }),
  /** For each message. */
  message: Type.Integer({ minimum: 0 })
})
export type AddedTokens = Static<typeof AddedTokens>

/** The same by the API of a chat model, because servers render the same prompt differently for each. */
export const TemplateTokens = Type.Object({ chat: AddedTokens, responses: AddedTokens, messages: AddedTokens })
export type TemplateTokens = Static<typeof TemplateTokens>

/**
 * For models without numbers. The templates of open models that name the date or a system prompt of their own add up to
 * 40 tokens.
 */
export const defaultAddedTokens: AddedTokens = { request: 64, message: 8 }
const noTokens: AddedTokens = { request: 0, message: 0 }

const hasTemplate = (api: ApiName): api is keyof TemplateTokens => Object.hasOwn(TemplateTokens.properties, api)

/** What the template of a model adds to a request of an API. Only chats have templates. */
export function addedTokens({ templateTokens }: { templateTokens?: TemplateTokens }, api: ApiName): AddedTokens {
  if (!hasTemplate(api)) return noTokens
  return templateTokens === undefined ? defaultAddedTokens : templateTokens[api]
}
