import { callOfModel } from './shared.ts'

export const createChatCompletion = callOfModel(
  'createChatCompletion',
  'Answer a conversation, as a whole or as a stream',
  'ChatRequest',
  'ChatCompletion',
  { event: 'ChatCompletionChunk', takesMedia: true }
)
export const createCompletion = callOfModel(
  'createCompletion',
  'Continue a text, as a whole or as a stream (legacy; use chat completions in new clients)',
  'CompletionRequest',
  'Completion',
  { event: 'CompletionChunk' }
)
export const createEmbedding = callOfModel(
  'createEmbedding',
  'Compute vectors for one or more texts',
  'EmbeddingRequest',
  'EmbeddingList',
  {}
)
