import { callOfModel } from './shared.ts'

export const createChatCompletion = callOfModel(
  'createChatCompletion',
  'Answer a conversation, as a whole or as a stream',
  'ChatRequest',
  'ChatCompletion',
  { streams: true, takesMedia: true }
)
export const createCompletion = callOfModel(
  'createCompletion',
  'Continue a text, as a whole or as a stream (legacy; use chat completions in new clients)',
  'CompletionRequest',
  'Completion',
  { streams: true }
)
export const createEmbedding = callOfModel(
  'createEmbedding',
  'Compute vectors for one or more texts',
  'EmbeddingRequest',
  'EmbeddingList',
  { streams: false }
)
