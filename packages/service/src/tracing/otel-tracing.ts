import type { IncomingHttpHeaders } from 'node:http'
import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import { attributes as names } from './attribute-names.ts'
import { processResource } from './process-resource.ts'
import { SpanQueue } from './span-queue.ts'
import type { ChildKind, Span, SpanAttributes, TracedProcess, TraceHeaders, TraceSettings, Tracing } from './tracing.ts'

/** How long the last spans may take. */
const lastSpansMs = 2000
/** Calls of the collector at the same time. More than one only until a call that took too long has ended. */
const maxExports = 4

const propagator = new W3CTraceContextPropagator()
const kinds: Record<ChildKind, SpanKind> = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }
type Tracer = ReturnType<TracerProvider['getTracer']>

/**
 * Makes spans with OpenTelemetry's SDK. Only `openTracing` imports this file, so that it is loaded only if traces are
 * wanted.
 */
export function createTracing(settings: TraceSettings, { name, version, onDropped }: TracedProcess): Tracing {
  // The exporter's own agent, with the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE and _CLIENT_*: only who has it
  // can destroy it.
  const { agentFactory } = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', {})
  const agent = Promise.resolve(agentFactory(new URL(settings.url).protocol)).then((opened) =>
    Object.assign(opened, { maxSockets: maxExports })
  )
  const disconnect = () => void agent.then((opened) => opened.destroy())
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    concurrencyLimit: maxExports,
    httpAgentOptions: () => agent
  })
  const { delayMs, batchTimeoutMs } = settings
  const queue = new SpanQueue({ exporter, onDropped, onTimeout: disconnect, delayMs, batchTimeoutMs })
  const resource = processResource({ name, version })
  const provider = new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [queue] })
  const tracer = provider.getTracer('tollgate', version)
  return {
    serve(spanName, headers, attributes, startTime) {
      const client = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
      const span = tracer.startSpan(spanName, { kind: SpanKind.SERVER, attributes, startTime }, client)
      return new TracedSpan(tracer, span)
    },
    get dropped() {
      return queue.dropped
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, lastSpansMs)
      })
      await Promise.race([queue.forceFlush(), timeout])
      clearTimeout(timer)
      queue.close()
      disconnect()
    }
  }
}

class TracedSpan implements Span {
  readonly isSampled: boolean
  readonly #tracer: Tracer
  readonly #span: OtelSpan
  readonly #context: Context

  constructor(tracer: Tracer, span: OtelSpan) {
    this.#tracer = tracer
    this.#span = span
    this.isSampled = span.isRecording()
    this.#context = trace.setSpan(ROOT_CONTEXT, span)
  }

  get headers(): TraceHeaders {
    const headers = { traceparent: '', tracestate: '' }
    propagator.inject(this.#context, headers, headerSetter)
    return headers
  }

  rename(name: string): void {
    this.#span.updateName(name)
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  child(name: string, kind: ChildKind, attributes: SpanAttributes = {}): Span {
    if (!this.isSampled) return this
    return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, { kind: kinds[kind], attributes }, this.#context))
  }

  end(errorType: string | null = null, endedAt?: number): void {
    if (!this.#span.isRecording()) return
    if (errorType !== null) {
      this.#span.setAttribute(names.errorType, errorType)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#span.end(endedAt)
  }
}

const headerGetter = {
  get: (headers: IncomingHttpHeaders, name: string) => headers[name],
  keys: (headers: IncomingHttpHeaders) => Object.keys(headers)
}

const headerSetter = {
  set(headers: Record<string, string>, name: string, value: string) {
    headers[name] = value
  }
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const isOfParent = sampler.startsWith('parentbased_')
  const root = rootSampler(sampler.replace('parentbased_', ''), ratio)
  return isOfParent ? new ParentBasedSampler({ root }) : root
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler()
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio)
}
