import { attributes as names, serverAttributes } from '@tollgate/service/tracing/attribute-names.ts'
import type { Span, SpanAttributes, TraceHeaders } from '@tollgate/service/tracing/tracing.ts'

/** What a trace says of an upstream. */
export interface TracedUpstream {
  readonly name: string
  readonly models: { readonly url: URL }
}

/** Answers name their model in the first bytes, before the content. */
const maxInspectedBytes = 1024
const modelName = /"model"\s*:\s*"([\w./:@+-]{1,128})"/
const content = /"(?:choices|data)"\s*:\s*\[/

/** The span of one call of an upstream. */
export class AttemptTrace {
  /** Facts of the answer that the request's span has, too. */
  answer: SpanAttributes = {}
  readonly #span: Span
  readonly #isStream: boolean
  readonly #startedAt = performance.now()
  #hasBytes = false
  #endedAt = 0
  #errorType: string | null = null

  constructor(request: Span, operation: string, { name, models }: TracedUpstream, model: string, isStream: boolean) {
    this.#isStream = isStream
    if (!request.isSampled) {
      this.#span = request
      return
    }
    this.#span = request.child(`${operation} ${model}`, 'client', {
      [names.operation]: operation,
      [names.provider]: name,
      [names.requestModel]: model,
      [names.isStream]: isStream,
      ...serverAttributes(models.url)
    })
  }

  get headers(): TraceHeaders {
    return this.#span.headers
  }

  answered(status: number): void {
    if (this.#span.isSampled) this.#span.set({ [names.httpStatus]: status })
  }

  /** @param bytes of the answer, decoded. Only the first are read */
  received(bytes: Buffer): void {
    if (this.#hasBytes || !this.#span.isSampled) return
    this.#hasBytes = true
    const [head = ''] = bytes.toString('latin1', 0, maxInspectedBytes).split(content, 1)
    const model = modelName.exec(head)?.[1]
    if (model !== undefined) this.answer[names.responseModel] = model
    if (this.#isStream) this.answer[names.timeToFirstChunk] = (performance.now() - this.#startedAt) / 1000
    this.#span.set(this.answer)
  }

  /** Ends the span of a call that failed. */
  failed(code: string): void {
    this.#endedAt = performance.now()
    this.#span.end(code)
  }

  /** Called at the end of the request. The span ends once the usage is counted. @param code of the client's error */
  ended(code: string | null): void {
    if (this.#endedAt !== 0) return
    this.#endedAt = performance.now()
    this.#errorType = code
  }

  settled(usage: SpanAttributes): void {
    this.#span.set(usage)
    this.#span.end(this.#errorType, this.#endedAt)
  }
}
