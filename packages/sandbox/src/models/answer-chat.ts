import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessageToolCall
} from 'openai/resources/chat/completions'
import { type Answer, type AnswerEvent, interleave } from './answer.ts'
import { countPrompt } from './count-prompt.ts'
import { randomId } from './ids.ts'
import { chatLogprobs } from './logprobs.ts'
import type { Behaviour } from './model-name.ts'
import { countProduced, joinPieces, type Produced, type ProducedCall } from './produce.ts'
import { produceChat } from './produce-chat.ts'
import type { ChatRequest } from './requests.ts'
import { reportUsage } from './usage.ts'

type Delta = ChatCompletionChunk.Choice.Delta

/** Answers a request to `/v1/chat/completions`. @throws ApiError (400) */
export function answerChat(request: ChatRequest, behaviour: Behaviour, createdS: number): Answer {
  const prompt = countPrompt(request)
  const { choices, reasoningTokens } = produceChat(request, behaviour)
  const counted = {
    promptTokens: prompt.total,
    cachedTokens: Math.min(behaviour['cached-tokens'] ?? 0, prompt.total),
    audioTokens: prompt.audio,
    reasoningTokens,
    completionTokens: reasoningTokens + choices.reduce((sum, choice) => sum + countProduced(choice), 0)
  }
  const usage = reportUsage(counted, behaviour)
  const common = {
    id: randomId('chatcmpl-'),
    created: createdS,
    model: request.model,
    service_tier: 'default',
    system_fingerprint: 'fp_sandbox'
  } as const

  return {
    ...counted,
    whole() {
      const whole = choices.map((choice, index) => wholeChoice(choice, index, request))
      const body: ChatCompletion = { ...common, object: 'chat.completion', choices: whole }
      return usage === null ? body : { ...body, usage }
    },
    *events() {
      const wantsUsage = usage !== null && request.stream_options?.include_usage === true
      const chunk = (choices: ChatCompletionChunk.Choice[]): ChatCompletionChunk => ({
        ...common,
        object: 'chat.completion.chunk',
        choices,
        ...(wantsUsage ? { usage: null } : {})
      })
      const streams = choices.map((choice, index) => streamChoice(choice, index, request, chunk))
      yield* interleave(streams)
      if (wantsUsage) yield { data: { ...chunk([]), usage }, tokens: 0 }
    }
  }
}

function wholeChoice({ content, calls, finish }: Produced, index: number, request: ChatRequest): ChatCompletion.Choice {
  const text = content === null ? null : joinPieces(content)
  return {
    index,
    message: {
      role: 'assistant',
      content: text,
      refusal: null,
      annotations: [],
      ...(calls.length > 0 ? { tool_calls: calls.map(wholeCall) } : {})
    },
    logprobs: request.logprobs === true ? chatLogprobs(content ?? [], request.top_logprobs ?? 0) : null,
    finish_reason: finish
  }
}

function wholeCall({ id, type, name, pieces }: ProducedCall): ChatCompletionMessageToolCall {
  const text = joinPieces(pieces)
  return type === 'function'
    ? { id, type, function: { name, arguments: text } }
    : { id, type, custom: { name, input: text } }
}

function* streamChoice(
  { content, calls, finish }: Produced,
  index: number,
  request: ChatRequest,
  chunk: (choices: ChatCompletionChunk.Choice[]) => ChatCompletionChunk
): Generator<AnswerEvent> {
  const event = (delta: Delta, tokens: number, more: Partial<ChatCompletionChunk.Choice> = {}): AnswerEvent => ({
    data: chunk([{ index, delta, logprobs: null, finish_reason: null, ...more }]),
    tokens
  })
  yield event({ role: 'assistant', content: content === null ? null : '', refusal: null }, 0)
  for (const piece of content ?? []) {
    const logprobs = request.logprobs === true ? chatLogprobs([piece], request.top_logprobs ?? 0) : null
    yield event({ content: piece.text }, piece.tokens, { logprobs })
  }
  for (const [at, { id, type, name, nameTokens, pieces }] of calls.entries()) {
    const part = (text: string, named: { name?: string }) =>
      type === 'function' ? { function: { ...named, arguments: text } } : { custom: { ...named, input: text } }
    yield event({ tool_calls: [{ index: at, id, type, ...part('', { name }) }] }, nameTokens)
    for (const piece of pieces) yield event({ tool_calls: [{ index: at, ...part(piece.text, {}) }] }, piece.tokens)
  }
  yield event({}, 0, { finish_reason: finish })
}
