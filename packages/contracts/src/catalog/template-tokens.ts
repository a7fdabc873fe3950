import { type Static, Type } from 'typebox'
import type { ApiName } from './apis.ts'

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
