import type { CreateEmbeddingResponse, Embedding } from 'openai/resources/embeddings'
import type { Answer } from './answer.ts'
import { invalidRequest } from './api-error.ts'
import { noKinds } from './billed-kinds.ts'
import { embed } from './embed.ts'
import { readInputs } from './read-inputs.ts'
import type { EmbeddingRequest } from './requests.ts'

/** The embedding for `encoding_format: 'base64'`. The package exports no name for it. */
type Base64Embedding = Omit<Embedding, 'embedding'> & { embedding: string }

const defaultDimensions = 1536
const largeDimensions = 3072

/** Answers a request to `/v1/embeddings`. `model` has no directives. @throws ApiError (400) */
export function answerEmbedding(request: EmbeddingRequest, model: string): Answer {
  const all = model.includes('large') ? largeDimensions : defaultDimensions
  const dimensions = request.dimensions ?? all
  if (dimensions > all) throw invalidRequest(`'dimensions' must be at most ${all} for this model.`, 'dimensions')
  const inputs = readInputs(request.input, 'input')
  const promptTokens = inputs.reduce((sum, { tokens }) => sum + tokens, 0)
  return {
    promptTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
    hiddenTokens: 0,
    kinds: noKinds,
    completionTokens: 0,
    events: null,
    whole(): Omit<CreateEmbeddingResponse, 'data'> & { data: Array<Embedding | Base64Embedding> } {
      const data = inputs.map(({ text }, index) => {
        const vector = embed(text, dimensions)
        const common = { object: 'embedding' as const, index }
        return request.encoding_format === 'base64'
          ? { ...common, embedding: toBase64(vector) }
          : { ...common, embedding: [...vector] }
      })
      return {
        object: 'list',
        data,
        model: request.model,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens }
      }
    }
  }
}

/** Encodes little-endian 32-bit floats. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
