import { EventEmitter, once } from 'node:events'
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

/** A log record that arrived, in plain values. */
export interface ReceivedLog {
  readonly timeNanos: bigint
  readonly eventName: string
  readonly body: string
  readonly severity: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly resource: Readonly<Record<string, string | number | boolean>>
  readonly scope: string
}

export interface OtlpReceiver {
  /** Base URL, as in `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Those of requests to `/v1/logs`, unless their answer had an error. */
  readonly logs: readonly ReceivedLog[]
  /** Headers and path of each request. */
  readonly requests: ReadonlyArray<{ path: string; headers: IncomingHttpHeaders }>
  /**
   * Resolves with all spans once `isEnough` is true for them.
   *
   * @throws Error after 30 seconds, with the spans that arrived
   */
  until(isEnough: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
  /** The same for logs. */
  untilLogs(isEnough: (logs: readonly ReceivedLog[]) => boolean): Promise<readonly ReceivedLog[]>
  /** Replaces the answers of the collector. @param logs those of the request */
  answer(handler: (request: IncomingMessage, response: ServerResponse, logs: readonly ReceivedLog[]) => unknown): void
  close(): Promise<void>
}

interface TraceMessage {
  resourceSpans?: Array<{
    resource?: { attributes?: Attribute[] }
    scopeSpans?: Array<{ spans?: Array<Record<string, unknown>> }>
  }>
}
interface LogMessage {
  resourceLogs?: Array<{
    resource?: { attributes?: Attribute[] }
    scopeLogs?: Array<{ scope?: { name?: string }; logRecords?: Array<Record<string, unknown>> }>
  }>
}
interface Attribute {
  key: string
  value: Record<string, string | number | boolean>
}

/** Generous: exporters send at least once a second. */
const deadlineMs = 30_000

const definitions = protobuf.parse(readFileSync(new URL('./otlp.proto', import.meta.url), 'utf8')).root
const TraceRequest = definitions.lookupType('otlp.ExportTraceServiceRequest')
const LogRequest = definitions.lookupType('otlp.ExportLogsServiceRequest')
const LogResponse = definitions.lookupType('otlp.ExportLogsServiceResponse')
const plain = { longs: String, enums: String, bytes: Buffer }

/** The body of an answer with which a collector takes some records only. */
export const partialSuccess = (rejectedLogRecords: number, errorMessage: string): Uint8Array =>
  LogResponse.encode({ partialSuccess: { rejectedLogRecords, errorMessage } }).finish()

/** Starts a collector that decodes what arrives: OTLP over HTTP, in protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const logs: ReceivedLog[] = []
  const requests: Array<{ path: string; headers: IncomingHttpHeaders }> = []
  const arrivals = new EventEmitter()
  let answer: Parameters<OtlpReceiver['answer']>[0] = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    // A client may leave within its request.
    for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
    requests.push({ path: request.url!, headers: request.headers })
    const bytes = Buffer.concat(chunks)
    const sent = request.url!.endsWith('/v1/logs') ? logsOf(bytes) : []
    answer(request, response, sent)
    if (response.statusCode === 200) {
      if (request.url!.endsWith('/v1/logs')) logs.push(...sent)
      else spans.push(...spansOf(bytes))
    }
    arrivals.emit('request')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    logs,
    until: (isEnough) => untilEnough(arrivals, spans, isEnough, ({ name }) => name),
    untilLogs: (isEnough) => untilEnough(arrivals, logs, isEnough, ({ body }) => body),
    answer(handler) {
      answer = handler
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }
}

async function untilEnough<Item>(
  arrivals: EventEmitter,
  items: readonly Item[],
  isEnough: (items: readonly Item[]) => boolean,
  nameOf: (item: Item) => string
): Promise<readonly Item[]> {
  const signal = AbortSignal.timeout(deadlineMs)
  while (!isEnough(items)) {
    await once(arrivals, 'request', { signal }).catch((cause) => {
      const names = items.map(nameOf).join(', ')
      throw new Error(`waited ${deadlineMs / 1000} s; ${items.length} arrived: ${names}`, { cause })
    })
  }
  return items
}

function logsOf(bytes: Buffer): ReceivedLog[] {
  const { resourceLogs = [] } = LogRequest.toObject(LogRequest.decode(bytes), plain) as LogMessage
  return resourceLogs.flatMap(({ resource, scopeLogs = [] }) =>
    scopeLogs.flatMap(({ scope, logRecords = [] }) =>
      logRecords.map((record) => ({
        timeNanos: BigInt(record.timeUnixNano as string),
        eventName: record.eventName as string,
        body: (record.body as { stringValue: string }).stringValue,
        severity: record.severityText as string,
        attributes: valuesOf(record.attributes as Attribute[] | undefined),
        resource: valuesOf(resource?.attributes),
        scope: scope?.name ?? ''
      }))
    )
  )
}

function spansOf(bytes: Buffer): ReceivedSpan[] {
  const { resourceSpans = [] } = TraceRequest.toObject(TraceRequest.decode(bytes), plain) as TraceMessage
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
