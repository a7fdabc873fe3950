import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessageToolCall
} from 'openai/resources/chat/completions'
import { type Answer, type AnswerEvent, interleave } from './answer.ts'
import { countPrompt } from './count-prompt.ts'
import type { Behaviour } from './model-name.ts'
import { chatLogprobs, countProduced, joinPieces, type Produced, type ProducedCall } from './produce.ts'
import { produceChat } from './produce-chat.ts'
import { noKinds } from './request-recorder.ts'
import type { ChatRequest } from './requests.ts'
import { openaiTier, promptKinds, reportUsage } from './token-usage.ts'
import { randomId } from './write-text.ts'

type Delta = ChatCompletionChunk.Choice.Delta

/** Answers a request to `/v1/chat/completions`. @throws ApiError (400) */
export function answerChat(request: ChatRequest, behaviour: Behaviour, createdS: number): Answer {
  const prompt = countPrompt(request)
  const { choices, hidden } = produceChat(request, behaviour)
  const { cachedTokens, ...ofPrompt } = promptKinds(prompt.total, behaviour, prompt.audio)
  const tier = openaiTier(request.service_tier, behaviour)
  const counts = {
    promptTokens: prompt.total,
    cachedTokens,
    reasoningTokens: hidden.reasoning,
    hiddenTokens: hidden.total,
    completionTokens: hidden.total + choices.reduce((sum, choice) => sum + countProduced(choice), 0),
    kinds: {
      ...noKinds,
      ...ofPrompt,
      audioCompletionTokens: hidden.audio,
      imageCompletionTokens: hidden.image,
      toolCalls: searchCalls(request, behaviour),
      serviceTier: tier
    }
  }
  const usage = reportUsage(counts, behaviour)
  const common = {
    id: randomId('chatcmpl-'),
    created: createdS,
    model: request.model,
    service_tier: tier as ChatCompletion['service_tier'],
    system_fingerprint: 'fp_sandbox'
  }

  return {
    ...counts,
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

/** The billed searches: the directive's number, else one, if the request has the search tool. */
function searchCalls(request: ChatRequest, behaviour: Behaviour): Record<string, number> {
  return request.web_search_options ? { web_search: behaviour.searches ?? 1 } : {}
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
