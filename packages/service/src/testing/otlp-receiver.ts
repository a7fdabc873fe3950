import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import protobuf from 'protobufjs'

/** A span that arrived, in plain values. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** '' for the first span of a trace. */
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: string
  readonly status: string
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly resource: Readonly<Record<string, string | number | boolean>>
}

export interface OtlpReceiver {
  /** Base URL, as in `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Headers and path of each request. */
  readonly requests: ReadonlyArray<{ path: string; headers: IncomingHttpHeaders }>
  /** Resolves with all spans once `isEnough` is true for them. @throws Error after 30 seconds, with the spans that arrived */
  until(isEnough: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
  /** Replaces the answers of the collector. */
  answer(handler: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

interface Message {
  resourceSpans?: Array<{
    resource?: { attributes?: Attribute[] }
    scopeSpans?: Array<{ spans?: Array<Record<string, unknown>> }>
  }>
}
interface Attribute {
  key: string
  value: Record<string, string | number | boolean>
}

/** Generous: exporters send at least once a second. */
const deadlineMs = 30_000

const definitions = protobuf.parse(readFileSync(new URL('./otlp.proto', import.meta.url), 'utf8')).root
const RequestMessage = definitions.lookupType('otlp.ExportTraceServiceRequest')

/** Starts a collector that decodes what arrives: OTLP over HTTP, in protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const requests: Array<{ path: string; headers: IncomingHttpHeaders }> = []
  let waiting: Array<() => void> = []
  let answer = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({ path: request.url!, headers: request.headers })
    answer(request, response)
    if (response.statusCode === 200) spans.push(...spansOf(Buffer.concat(chunks)))
    for (const wake of waiting.splice(0)) wake()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async until(isEnough) {
      const names = () => spans.map(({ name }) => name).join(', ')
      const deadline = AbortSignal.timeout(deadlineMs)
      while (!isEnough(spans)) {
        const arrival = Promise.withResolvers<void>()
        waiting.push(arrival.resolve)
        const give = () =>
          arrival.reject(new Error(`waited ${deadlineMs / 1000} s for spans; ${spans.length} arrived: ${names()}`))
        deadline.addEventListener('abort', give)
        await arrival.promise
        deadline.removeEventListener('abort', give)
      }
      return spans
    },
    answer(handler) {
      answer = handler
    },
    async close() {
      waiting = []
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }
}

function spansOf(bytes: Buffer): ReceivedSpan[] {
  const options = { longs: String, enums: String, bytes: Buffer }
  const { resourceSpans = [] } = RequestMessage.toObject(RequestMessage.decode(bytes), options) as Message
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => spanOf(span, valuesOf(resource?.attributes))))
  )
}

function spanOf(span: Record<string, unknown>, resource: ReceivedSpan['resource']): ReceivedSpan {
  const hex = (value: unknown) => (value === undefined ? '' : (value as Buffer).toString('hex'))
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    traceState: (span.traceState as string | undefined) ?? '',
    name: span.name as string,
    kind: span.kind as string,
    status: (span.status as { code?: string } | undefined)?.code ?? 'UNSET',
    startNanos: BigInt(span.startTimeUnixNano as string),
    endNanos: BigInt(span.endTimeUnixNano as string),
    attributes: valuesOf(span.attributes as Attribute[] | undefined),
    resource
  }
}

function valuesOf(attributes: readonly Attribute[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [kind, plain] = Object.entries(value)[0]!
      return [key, kind === 'intValue' ? Number(plain) : plain]
    })
  )
}
