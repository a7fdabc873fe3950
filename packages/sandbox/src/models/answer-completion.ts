import type { Completion, CompletionChoice } from 'openai/resources/completions'
import type { CreateEmbeddingResponse, Embedding } from 'openai/resources/embeddings'
import { type Answer, type AnswerEvent, interleave } from './answer.ts'
import { invalidRequest } from './api-error.ts'
import type { Behaviour } from './model-name.ts'
import { completionLogprobs, countProduced, joinPieces, type Produced, produceFlood, produceText } from './produce.ts'
import { noKinds } from './request-recorder.ts'
import {
  type CompletionRequest,
  type EmbeddingRequest,
  type Input,
  type ModerationRequest,
  readInputs
} from './requests.ts'
import { reportUsage } from './token-usage.ts'
import { embed, randomId, writeText } from './write-text.ts'

const defaultMaxTokens = 16

/** Answers a request to the legacy endpoint `/v1/completions`. @throws ApiError (400) */
export function answerCompletion(request: CompletionRequest, behaviour: Behaviour, createdS: number): Answer {
  const { promptTokens, choices, discarded } = produceCompletion(request, behaviour)
  const counts = {
    promptTokens,
    cachedTokens: Math.min(behaviour['cached-tokens'] ?? 0, promptTokens),
    // This endpoint has no reasoning models.
    reasoningTokens: 0,
    hiddenTokens: 0,
    kinds: noKinds,
    completionTokens: [...choices, ...discarded].reduce((sum, choice) => sum + countProduced(choice), 0)
  }
  const usage = reportUsage(counts, behaviour)
  const common = { id: randomId('cmpl-'), object: 'text_completion', created: createdS, model: request.model } as const

  return {
    ...counts,
    whole() {
      const whole = choices.map((choice, index) => wholeChoice(choice, index, request))
      const body: Completion = { ...common, choices: whole }
      return usage === null ? body : { ...body, usage }
    },
    *events() {
      const wantsUsage = usage !== null && request.stream_options?.include_usage === true
      const chunk = (choices: ChunkChoice[]): Chunk => ({ ...common, choices, ...(wantsUsage ? { usage: null } : {}) })
      yield* interleave(choices.map((choice, index) => streamChoice(choice, index, request, chunk)))
      if (wantsUsage) yield { data: { ...chunk([]), usage }, tokens: 0 }
    }
  }
}

const defaultDimensions = 1536
const largeDimensions = 3072

interface ProducedCompletion {
  readonly promptTokens: number
  /** Sorted by index: `n` for the first prompt, `n` for the second, … */
  readonly choices: ReadonlyArray<Produced & { readonly prompt: string }>
  /** The further choices of `best_of`: counted, but not sent. */
  readonly discarded: readonly Produced[]
}

/**
 * Produces the answer to a legacy completion: for each prompt, `n` texts of at most `max_tokens` tokens (default 16, as
 * documented). Equal requests get equal answers.
 */
function produceCompletion(request: CompletionRequest, behaviour: Behaviour): ProducedCompletion {
  const { n, best_of: bestOf, max_tokens: limit, stop } = request
  const choiceCount = n ?? 1
  const produced = bestOf ?? choiceCount
  if (produced < choiceCount) throw invalidRequest("'best_of' must be at least 'n'.", 'best_of')
  if (produced > choiceCount && request.stream === true)
    throw invalidRequest("'best_of' cannot be streamed.", 'best_of')
  const prompts = readPrompts(request.prompt)
  const produce = (text: string, index: number) =>
    behaviour['flood-mb'] === undefined
      ? produceText(` ${writeText(text, index, null)}`, stop, limit ?? defaultMaxTokens)
      : produceFlood(behaviour['flood-mb'])
  const texts = prompts.map(({ text }) =>
    Array.from({ length: produced }, (_, index) => ({ ...produce(text, index), prompt: text }))
  )
  return {
    promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens, 0),
    choices: texts.flatMap((ofPrompt) => ofPrompt.slice(0, choiceCount)),
    discarded: texts.flatMap((ofPrompt) => ofPrompt.slice(choiceCount))
  }
}

function readPrompts(prompt: CompletionRequest['prompt']): Input[] {
  // Without a prompt the model starts a document, which counts as one special token.
  return prompt === null || prompt === undefined ? [{ text: '', tokens: 1 }] : readInputs(prompt, 'prompt')
}

type Choice = ProducedCompletion['choices'][number]

/** A choice of a streamed chunk. The package's type lacks the null of `finish_reason` before the end. */
type ChunkChoice = Omit<CompletionChoice, 'finish_reason'> & { finish_reason: CompletionChoice['finish_reason'] | null }

type Chunk = Omit<Completion, 'choices' | 'usage'> & { choices: ChunkChoice[]; usage?: null }

function wholeChoice(choice: Choice, index: number, request: CompletionRequest): CompletionChoice {
  const pieces = choice.content ?? []
  const before = echoed(choice, request)
  return {
    index,
    text: before + joinPieces(pieces),
    logprobs: typeof request.logprobs === 'number' ? completionLogprobs(pieces, before.length) : null,
    finish_reason: finishOf(choice)
  }
}

function* streamChoice(
  choice: Choice,
  index: number,
  request: CompletionRequest,
  chunk: (choices: ChunkChoice[]) => Chunk
): Generator<AnswerEvent> {
  const event = (text: string, tokens: number, more: Partial<ChunkChoice> = {}): AnswerEvent => ({
    data: chunk([{ index, text, logprobs: null, finish_reason: null, ...more }]),
    tokens
  })
  let offset = 0
  const before = echoed(choice, request)
  if (before !== '') yield event(before, 0)
  for (const piece of choice.content ?? []) {
    const logprobs = typeof request.logprobs === 'number' ? completionLogprobs([piece], before.length + offset) : null
    yield event(piece.text, piece.tokens, { logprobs })
    offset += piece.text.length
  }
  yield event('', 0, { finish_reason: finishOf(choice) })
}

function echoed({ prompt }: Choice, { echo }: CompletionRequest): string {
  return echo === true ? prompt : ''
}

/** The legacy endpoint has no tools. */
function finishOf({ finish }: Choice): 'stop' | 'length' {
  return finish === 'length' ? 'length' : 'stop'
}

/** The embedding for `encoding_format: 'base64'`. The package exports no name for it. */
type Base64Embedding = Omit<Embedding, 'embedding'> & { embedding: string }

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

/** Words that a moderation finds violent. */
const violent = /\b(?:attack|hurt|kill)\b/i

/** Answers a request to `/v1/moderations`. As OpenAI's, it counts no tokens. `model` has no directives. */
export function answerModeration({ input }: ModerationRequest, model: string): Answer {
  const parts = typeof input === 'string' ? [input] : input
  return {
    promptTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    hiddenTokens: 0,
    kinds: noKinds,
    completionTokens: 0,
    events: null,
    whole() {
      const results = parts.map((part) => {
        const violence = violent.test(typeof part === 'string' ? part : (part.text ?? ''))
        return { flagged: violence, categories: { violence }, category_scores: { violence: violence ? 0.9 : 0.01 } }
      })
      return { id: randomId('modr-'), model, results }
    }
  }
}

/** Encodes little-endian 32-bit floats. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
