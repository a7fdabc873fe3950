import { Credits, CurrentKey } from '../../http/current-key.ts'
import { ErrorResponse, MessageError } from '../../http/error.ts'
import * as inference from '../../http/inference.ts'
import { MessageModel, MessageModelList, ModelEntry, ModelList } from '../../http/models.ts'
import { errorSchemaName } from '../error-responses.ts'

const { minResponseTokens, ModelResponse, ...ofInference } = inference

/** The schemas of the document, by name. */
export const schemas = {
  ...ofInference,
  Response: ModelResponse,
  Model: ModelEntry,
  ModelList,
  MessageModel,
  MessageModelList,
  CurrentKey,
  Credits,
  MessageError,
  [errorSchemaName]: ErrorResponse
}

/** A body of JSON. */
export const json = (name: keyof typeof schemas) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } }
})
