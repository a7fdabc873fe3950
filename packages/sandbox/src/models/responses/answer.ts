import type { Response } from 'openai/resources/responses/responses'
import type { Answer, AnswerEvent } from '../answer.ts'
import { invalidRequest } from '../api-error.ts'
import { countPrompt } from '../count-prompt.ts'
import { failureMessage } from '../dialect.ts'
import type { Behaviour } from '../model-name.ts'
import { countProduced } from '../produce.ts'
import { produceChat } from '../produce-chat.ts'
import { noKinds } from '../request-recorder.ts'
import { searchQuery } from '../requests.ts'
import { foundTokens, openaiTier, promptKinds } from '../token-usage.ts'
import { randomId } from '../write-text.ts'
import type { WholeItem } from './items.ts'
import { buildOutput, logprobsOf, type OutputItem } from './output.ts'
import { type ResponsePrompt, type ResponseState, readPrompt } from './prompt.ts'
import type { ResponseRequest } from './request.ts'
import { describeResponse, reportResponseUsage, type SentResponse } from './response.ts'

const paddedTo = 16

/**
 * Answers a request to `/v1/responses`, and keeps the response unless `store` is false.
 *
 * @throws ApiError (400 or 404)
 */
export function answerResponse(
  request: ResponseRequest,
  state: ResponseState,
  behaviour: Behaviour,
  createdS: number
): Answer {
  if (request.background === true) {
    throw invalidRequest('Background mode is not supported with this model.', 'background', 'unsupported_parameter')
  }
  const prompt = readPrompt(request, state)
  const { total: once, audio } = countPrompt(prompt.chat)
  const limited = { ...prompt.chat, max_completion_tokens: request.max_output_tokens }
  const { choices, hidden } = produceChat(limited, withEffort(behaviour, request))
  const produced = choices[0]!
  const searches = prompt.searches ? Math.min(behaviour.searches ?? 1, request.max_tool_calls ?? Infinity) : 0
  const total = once + foundTokens(once, searches)
  const made = { ...produced, reasoningTokens: hidden.reasoning, searches, query: searchQuery(prompt.chat) }
  const items = buildOutput(made, request, state.seal)
  const output = items.map(({ whole }) => whole)
  const { cachedTokens, ...ofPrompt } = promptKinds(total, behaviour, audio)
  const tier = openaiTier(request.service_tier, behaviour)
  const toolCalls: Record<string, number> = prompt.searches ? { web_search: searches } : {}
  const counts = {
    promptTokens: total,
    cachedTokens,
    reasoningTokens: hidden.reasoning,
    hiddenTokens: hidden.total,
    completionTokens: hidden.total + countProduced(produced),
    kinds: {
      ...noKinds,
      ...ofPrompt,
      audioCompletionTokens: hidden.audio,
      imageCompletionTokens: hidden.image,
      toolCalls,
      serviceTier: tier
    }
  }
  const started = describeResponse(request, randomId('resp_'), createdS, tier as Response['service_tier'])
  const isCut = produced.finish === 'length'
  const usage = reportResponseUsage(counts, behaviour)
  const ended: SentResponse = {
    ...started,
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : createdS,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    tool_usage: { image_gen: noImages, web_search: { num_requests: searches } },
    usage
  }
  const failed: SentResponse = {
    ...started,
    status: 'failed',
    error: { code: 'server_error', message: failureMessage }
  }

  const keep = (response: SentResponse) => (request.store === false ? response : keepResponse(response, prompt, state))
  return {
    ...counts,
    whole: () => keep(ended),
    *events() {
      let sent = 0
      const next: NextEvent = (type, members, tokens = 0): AnswerEvent => ({
        data: { type: `response.${type}`, sequence_number: sent++, ...members },
        tokens
      })
      yield next('created', { response: started })
      yield next('in_progress', { response: started })
      for (const [at, item] of items.entries()) yield* streamItem(item, at, request, next)
      yield next(ended.status ?? '', { response: keep(ended) })
    },
    failure: {
      whole: () => keep(failed),
      event: (sent) => ({ type: 'response.failed', sequence_number: sent, response: keep(failed) })
    }
  }
}

function keepResponse(response: SentResponse, { items }: ResponsePrompt, { store }: ResponseState): SentResponse {
  const chain = [...items.all, ...(response.output as readonly WholeItem[])]
  store.keep({ response, input: items.input, chain })
  return response
}

const noImages = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { image_tokens: 0, text_tokens: 0 },
  total_tokens: 0
}

/** Tokens of reasoning by the effort that the request asks for. */
const effortTokens = { none: 0, minimal: 8, low: 16, medium: 32, high: 64, xhigh: 128, max: 256 } as const

/** The behaviour with the reasoning of the request's effort, unless a directive sets another. */
function withEffort(behaviour: Behaviour, { reasoning }: ResponseRequest): Behaviour {
  return { 'reasoning-tokens': effortTokens[reasoning?.effort ?? 'none'], ...behaviour }
}

/** Builds the next event of a stream, with its sequence number. */
type NextEvent = (type: string, members: object, tokens?: number) => AnswerEvent

/** Streams an item of the output, in the documented order. `at` is its index. */
function* streamItem(item: OutputItem, at: number, request: ResponseRequest, next: NextEvent): Generator<AnswerEvent> {
  const within = { item_id: item.whole.id, output_index: at }
  const padding = request.stream_options?.include_obfuscation !== false
  const delta = (text: string) => ({ ...within, delta: text, ...(padding && { obfuscation: obfuscationOf(text) }) })
  const added = { output_index: at, item: startOf(item) }
  yield next('output_item.added', added, item.kind === 'call' ? item.call.nameTokens : 0)
  switch (item.kind) {
    case 'reasoning':
      if (item.summary !== null) {
        const part = { ...within, summary_index: 0 }
        const [first = ''] = item.whole.summary
        yield next('reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } })
        yield next('reasoning_summary_text.delta', { ...delta(item.summary), summary_index: 0 })
        yield next('reasoning_summary_text.done', { ...part, text: item.summary })
        yield next('reasoning_summary_part.done', { ...part, part: first })
      }
      break
    case 'search':
      for (const step of ['in_progress', 'searching', 'completed']) yield next(`web_search_call.${step}`, within)
      break
    case 'message': {
      const part = { ...within, content_index: 0 }
      const { text, annotations, logprobs } = item.part
      yield next('content_part.added', { ...part, part: { ...item.part, annotations: [], logprobs: [], text: '' } })
      for (const piece of item.pieces) {
        const members = { ...delta(piece.text), content_index: 0, logprobs: logprobsOf([piece], request) }
        yield next('output_text.delta', members, piece.tokens)
      }
      for (const [annotation_index, annotation] of annotations.entries()) {
        yield next('output_text.annotation.added', { ...part, annotation_index, annotation })
      }
      yield next('output_text.done', { ...part, text, logprobs })
      yield next('content_part.done', { ...part, part: item.part })
      break
    }
    case 'call': {
      const { whole, call } = item
      const isFunction = whole.type === 'function_call'
      const prefix = isFunction ? 'function_call_arguments' : 'custom_tool_call_input'
      for (const piece of call.pieces) yield next(`${prefix}.delta`, delta(piece.text), piece.tokens)
      const done = isFunction ? { name: whole.name, arguments: whole.arguments } : { input: whole.input }
      yield next(`${prefix}.done`, { ...within, ...done })
      break
    }
  }
  yield next('output_item.done', { output_index: at, item: item.whole })
}

/** The item before its content. */
function startOf(item: OutputItem): object {
  switch (item.kind) {
    case 'reasoning':
      return { ...item.whole, summary: [], encrypted_content: '' }
    case 'search':
      return { ...item.whole, status: 'in_progress' }
    case 'message':
      return { ...item.whole, status: 'in_progress', content: [] }
    case 'call':
      return item.whole.type === 'function_call'
        ? { ...item.whole, status: 'in_progress', arguments: '' }
        : { ...item.whole, input: '' }
  }
}

/** Padding that hides the length of a delta. */
function obfuscationOf(text: string): string {
  return 'x'.repeat(paddedTo - (text.length % paddedTo))
}
