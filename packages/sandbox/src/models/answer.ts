import type { Exchange } from './exchange.ts'
import type { Behaviour } from './model-name.ts'
import type { BilledKinds } from './request-recorder.ts'

const dripMs = 50

/** What a wrong count reports. */
const oddNumbers = { text: '20 tokens', fraction: 1.5, negative: -20, zero: 0, one: 1 } as const

/** One server-sent event of a streamed answer. */
export interface AnswerEvent {
  readonly data: object
  /** Tokens that the model produced for this event. */
  readonly tokens: number
}

/** A model's answer, which is sent as one body or as a stream. */
export interface Answer {
  readonly promptTokens: number
  /** Prompt tokens reported as cached. */
  readonly cachedTokens: number
  /** Part of `hiddenTokens`. */
  readonly reasoningTokens: number
  /** Tokens that are no text, included in `completionTokens`. */
  readonly hiddenTokens: number
  /** What else is billed with its own price. */
  readonly kinds: BilledKinds
  /** All tokens that the model produces, even if the answer reports others. */
  readonly completionTokens: number
  /** Returns the body of an answer that is not streamed. */
  whole(): object
  /**
   * Returns the events of a streamed answer, without the final `[DONE]`. Their tokens do not include the hidden ones,
   * which come first. null if the endpoint does not stream.
   */
  events: (() => Iterable<AnswerEvent>) | null
  /**
   * How the API reports that its model failed after the answer began, for the directive `fail-after`. Absent: as an
   * error.
   */
  readonly failure?: {
    whole(): object
    /** @param sent the number of events before */
    event(sent: number): object
  }
}

/** Takes one event of each stream in turn, as a model does when it streams several choices. */
export function* interleave(streams: ReadonlyArray<Iterable<AnswerEvent>>): Generator<AnswerEvent> {
  let open = streams.map((stream) => stream[Symbol.iterator]())
  while (open.length > 0) {
    const next = open.map((iterator) => ({ iterator, result: iterator.next() }))
    for (const { result } of next) if (result.done !== true) yield result.value
    open = next.filter(({ result }) => result.done !== true).map(({ iterator }) => iterator)
  }
}

/**
 * Answers a request to count a prompt, in the way that `odd-count` asks for.
 *
 * @param body the right answer
 */
export async function answerCount(
  exchange: Exchange,
  body: object,
  { 'odd-count': odd }: Pick<Behaviour, 'odd-count'>
): Promise<void> {
  switch (odd) {
    case undefined:
      return exchange.sendJson(200, body)
    case 'hang':
      return exchange.untilDisconnected()
    case 'drip':
      exchange.begin(200, { 'content-type': 'application/json' })
      for (; !exchange.disconnected.aborted; await exchange.wait(dripMs)) await exchange.write(' ')
      return
    case 'reset':
      return exchange.reset()
    case 'error':
      return exchange.sendJson(500, { error: { message: 'The counter failed.' } })
    case 'html':
      exchange.begin(200, { 'content-type': 'text/html' })
      await exchange.write('<!doctype html><title>Welcome</title>')
      return exchange.end()
    default:
      return exchange.sendJson(200, { ...body, input_tokens: oddNumbers[odd] })
  }
}
