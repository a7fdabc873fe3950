import type { AnswerEvent } from '../answer.ts'
import { logprobsOf, type OutputItem } from './output.ts'
import type { ResponseRequest } from './request.ts'

/** Builds the next event of a stream, with its sequence number. */
export type NextEvent = (type: string, members: object, tokens?: number) => AnswerEvent

/** Streams an item of the output, in the documented order. `at` is its index. */
export function* streamItem(
  item: OutputItem,
  at: number,
  request: ResponseRequest,
  next: NextEvent
): Generator<AnswerEvent> {
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

const paddedTo = 16

/** Padding that hides the length of a delta. */
function obfuscationOf(text: string): string {
  return 'x'.repeat(paddedTo - (text.length % paddedTo))
}
