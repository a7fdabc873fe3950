/** One server-sent event of a streamed answer. */
export interface AnswerEvent {
  readonly data: object
  /** The tokens that the model has produced for it. */
  readonly tokens: number
}

/** What a model answers, ready to be sent as one body or as a stream. */
export interface Answer {
  readonly promptTokens: number
  /** Prompt tokens that are reported as cached. */
  readonly cachedTokens: number
  /** Hidden tokens, part of `completionTokens`. */
  readonly reasoningTokens: number
  /** All tokens that the model produces, whatever the answer reports. */
  readonly completionTokens: number
  /** The body of an answer that is not streamed. */
  whole(): object
  /**
   * The events of a streamed answer, without the closing `[DONE]`. Their tokens are those behind the hidden ones, which come
   * first. null: the endpoint does not stream.
   */
  events: (() => Iterable<AnswerEvent>) | null
}

/** Takes one event of each in turn, as a model does that streams several choices at once. */
export function* interleave(streams: ReadonlyArray<Iterable<AnswerEvent>>): Generator<AnswerEvent> {
  let open = streams.map((stream) => stream[Symbol.iterator]())
  while (open.length > 0) {
    const next = open.map((iterator) => ({ iterator, result: iterator.next() }))
    for (const { result } of next) if (result.done !== true) yield result.value
    open = next.filter(({ result }) => result.done !== true).map(({ iterator }) => iterator)
  }
}
