import type { IncomingHttpHeaders } from 'node:http'
import type { ProcessIdentity } from './process-resource.ts'

/** What a span says besides its name and times. */
export type SpanAttributes = Record<string, string | number | boolean>

export type ChildKind = 'internal' | 'client'

/** Headers that continue a trace at the next server (W3C Trace Context). */
export interface TraceHeaders {
  readonly traceparent: string
  /** Empty if the trace has none. */
  readonly tracestate: string
}

/** One step of a trace. Methods have no effect after `end`. */
export interface Span {
  /** Whether the collector gets it. If not, it is only passed on in headers: its children are itself. */
  readonly isSampled: boolean
  /** For calls that this step makes. */
  readonly headers: TraceHeaders
  rename(name: string): void
  set(attributes: SpanAttributes): void
  child(name: string, kind: ChildKind, attributes?: SpanAttributes): Span
  /**
   * @param errorType why the step failed: an error code; null if it did not fail
   * @param endedAt `performance.now()` at its end, if that has passed
   */
  end(errorType?: string | null, endedAt?: number): void
}

/** Makes spans, and sends them to a collector in the background. */
export interface Tracing {
  /**
   * Begins the span of a request that this process serves. It continues the client's trace, if the headers have a valid one.
   *
   * @param startedAt `performance.now()` when the request arrived
   */
  serve(name: string, headers: IncomingHttpHeaders, attributes: SpanAttributes, startedAt: number): Span
  /** Number of spans that were not sent: the collector was away or too slow. */
  readonly dropped: number
  /** Sends the last spans, for two seconds at most. */
  close(): Promise<void>
}

/** What a process that traces says of itself. */
export interface TracedProcess extends ProcessIdentity {
  /** Called at most once a minute if spans could not be sent. @param dropped since the last call */
  readonly onDropped: (dropped: number) => void
}
