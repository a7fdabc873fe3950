import { ErrorResponse, MessageError } from '../../http/error.ts'
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  Compaction,
  CompactRequest,
  Completion,
  CompletionChunk,
  CompletionRequest,
  DeletedResponse,
  EmbeddingList,
  EmbeddingRequest,
  InputItemList,
  InputTokens,
  InputTokensRequest,
  MessageAnswer,
  MessageRequest,
  ModelResponse,
  ResponseRequest,
  TokenCount,
  TokenCountRequest,
  TypedEvent
} from '../../http/inference.ts'
import { MessageModel, MessageModelList, ModelEntry, ModelList } from '../../http/models.ts'
import { errorSchemaName } from '../error-responses.ts'

/** The schemas of the document, by name. */
export const schemas = {
  CompactRequest,
  Compaction,
  ChatRequest,
  ChatCompletion,
  ChatCompletionChunk,
  CompletionRequest,
  Completion,
  CompletionChunk,
  TypedEvent,
  EmbeddingRequest,
  EmbeddingList,
  MessageRequest,
  MessageAnswer,
  TokenCountRequest,
  TokenCount,
  ResponseRequest,
  Response: ModelResponse,
  DeletedResponse,
  InputItemList,
  InputTokensRequest,
  InputTokens,
  Model: ModelEntry,
  ModelList,
  MessageModel,
  MessageModelList,
  MessageError,
  [errorSchemaName]: ErrorResponse
}

/** A body of JSON. */
export const json = (name: keyof typeof schemas) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } }
})
