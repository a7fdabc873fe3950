import type { Operation } from '../document.ts'
import { type ErrorSchema, errorResponses, errorSchema } from '../error-responses.ts'
import { messageIdHeader, requestIdHeader, retryHeaders } from './answer-headers.ts'
import { messageErrorSchema, messageSecurity, versionHeader } from './messages.ts'
import type { schemas } from './schemas.ts'
import { keyErrors } from './shared.ts'

const either = (one: keyof typeof schemas, other: keyof typeof schemas) => ({
  'application/json': {
    schema: { anyOf: [one, other].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
  }
})
/** Errors in either format. */
export const eitherError: ErrorSchema = (codes) => ({ anyOf: [errorSchema(codes), messageErrorSchema(codes)] })
export const ids = { ...requestIdHeader, ...messageIdHeader }
export const version = { ...versionHeader, description: "Asks for the format of Anthropic's API." }
const aboutModels =
  "With the header `anthropic-version`, the answer and its errors have the format of Anthropic's API, and only models that are offered at " +
  '`/v1/messages` are shown. Otherwise each model has its prices and its limits under the names that OpenRouter has: `pricing` is what ' +
  'the account of this key pays, in US dollars for one token. '

export const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List the models that the key may use',
  description: aboutModels,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [
    version,
    {
      name: 'limit',
      in: 'query',
      description: 'Only with `anthropic-version`, like the other parameters. 20 if absent.',
      schema: { type: 'integer', minimum: 1, maximum: 1000 }
    },
    { name: 'after_id', in: 'query', description: 'The last id of the page before.', schema: { type: 'string' } },
    { name: 'before_id', in: 'query', description: 'The first id of the page after.', schema: { type: 'string' } }
  ],
  responses: {
    200: { description: 'Success', headers: ids, content: either('ModelList', 'MessageModelList') },
    ...errorResponses(
      [...keyErrors, 'invalid_request', 'requests_per_minute'],
      { ...retryHeaders, ...ids },
      eitherError
    )
  }
}

export const getModel: Operation = {
  operationId: 'getModel',
  summary: 'Get a model that the key may use',
  description: aboutModels,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [
    version,
    { name: 'model', in: 'path', required: true, description: 'May contain slashes.', schema: { type: 'string' } }
  ],
  responses: {
    200: { description: 'Success', headers: ids, content: either('Model', 'MessageModel') },
    ...errorResponses(
      [...keyErrors, 'model_not_allowed', 'requests_per_minute'],
      { ...retryHeaders, ...ids },
      eitherError
    )
  }
}
