import type { IncomingHttpHeaders } from 'node:http'
import { type Static, Type } from 'typebox'
import type { ProcessIdentity } from './process-resource.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

const Protocol = Type.Enum(['http/protobuf'], {
  default: 'http/protobuf',
  must: 'http/protobuf: Tollgate sends traces in no other form'
})

/**
 * OpenTelemetry's own variables, as far as they are checked here. Its exporter itself also reads
 * `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE`, `_CLIENT_CERTIFICATE` and `_CLIENT_KEY`,
 * and their forms with `TRACES_`.
 */
export const traceVariables = {
  /** Base URL of the collector. Without it there are no traces, and OpenTelemetry's SDK is not loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({ default: '' }),
  /** The whole URL, instead of the base URL. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.String({ default: '' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: Protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: Protocol,
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({ default: '' }),
  OTEL_SERVICE_NAME: Type.String({ default: '' }),
  OTEL_RESOURCE_ATTRIBUTES: Type.String({ default: '' }),
  OTEL_TRACES_SAMPLER: Type.Enum([...samplers], { default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
  OTEL_TRACES_EXPORTER: Type.Enum(['otlp', 'none'], { default: 'otlp' }),
  OTEL_SDK_DISABLED: Type.Enum(['true', 'false'], { default: 'false' })
}

const TraceVariables = Type.Object(traceVariables)

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
   * Begins the span of a request that this process serves. It continues the client's trace, if the headers have a valid
   * one.
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

export type TraceVariables = Static<typeof TraceVariables>

/** Where traces go, and which of them. */
export interface TraceSettings {
  readonly url: string
  readonly sampler: (typeof samplers)[number]
  /** Share of the traces that begin here, 0 to 1; for the samplers with `traceidratio`. */
  readonly ratio: number
  /** How long ended spans wait for others, ms. Default: 1 s. */
  readonly delayMs?: number
  /** How long the collector has for a batch, ms. Default: 15 s. */
  readonly batchTimeoutMs?: number
}

/** A rule for `loadConfig`. */
export function checkTraces(variables: TraceVariables): string | null {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const) {
    const url = variables[name]
    if (url !== '' && !(/^https?:[/][/]/.test(url) && URL.canParse(url))) {
      return `${name}: must be an http:// or https:// URL, such as http://localhost:4318`
    }
  }
  return null
}

/** @returns null if no traces are to be sent */
export function readTraces(variables: TraceVariables): TraceSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = variables
  const isOff = variables.OTEL_SDK_DISABLED === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || (base === '' && whole === '')) return null
  return {
    url: whole !== '' ? whole : `${base.replace(/[/]+$/, '')}/v1/traces`,
    sampler: variables.OTEL_TRACES_SAMPLER,
    ratio: variables.OTEL_TRACES_SAMPLER_ARG
  }
}
