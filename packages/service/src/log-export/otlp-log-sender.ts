import { SeverityNumber } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPExporterError } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  type IExportLogsPartialSuccess,
  LogsExporterMetricsHelper,
  ProtobufLogsSerializer
} from '@opentelemetry/otlp-transformer'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import { type ProcessIdentity, processResource } from '../tracing/process-resource.ts'
import type { LogExportSettings, LogOutcome, LogRecord, LogSender } from './log-sender.ts'

/** With all retries of the exporter. Its own timeout does not end answers that arrive byte by byte. */
const defaultBatchTimeoutMs = 15_000
/** A collector's message is shown up to this length. */
const maxMessageLength = 200
/** Statuses that say that the records, not the sender or the address, are wrong. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 422])
const severities = {
  info: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
  warn: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' }
} as const

type Shared = Pick<ReadableLogRecord, 'resource' | 'instrumentationScope'>

/**
 * Sends logs with the parts of OpenTelemetry's exporter for logs. The exporter itself does not tell how many records a
 * collector rejected (`partialSuccess`). Only `openLogSender` imports this file, so that it is loaded only if logs are
 * wanted.
 */
export function createOtlpLogSender(
  { url, batchTimeoutMs = defaultBatchTimeoutMs }: LogExportSettings,
  process: ProcessIdentity
): LogSender {
  const headers = { 'Content-Type': 'application/x-protobuf' }
  const defaults = convertLegacyHttpOptions({ url, concurrencyLimit: 1 }, 'LOGS', 'v1/logs', headers)
  const agent = Promise.resolve(defaults.agentFactory(new URL(url).protocol))
  // Later, it must not repeat a batch that was given up.
  const timeoutMillis = Math.min(defaults.timeoutMillis, batchTimeoutMs)
  const options = { ...defaults, timeoutMillis, agentFactory: () => agent }
  const shared: Shared = {
    resource: processResource(process),
    instrumentationScope: { name: 'tollgate', version: process.version }
  }

  /** With an exporter of its own, so that a late answer to an earlier batch changes nothing. */
  function exportOnce(records: ReadableLogRecord[]): Promise<Exported> {
    let partial: IExportLogsPartialSuccess | undefined
    const serializer = {
      serializeRequest: ProtobufLogsSerializer.serializeRequest,
      deserializeResponse(bytes: Uint8Array) {
        partial = ProtobufLogsSerializer.deserializeResponse(bytes).partialSuccess
        return {}
      }
    }
    const exporter = createOtlpHttpExportDelegate(
      options,
      serializer,
      'otlp_http_log_exporter',
      LogsExporterMetricsHelper,
      undefined
    )
    return new Promise((resolve) => exporter.export(records, (result) => resolve({ result, partial })))
  }

  return {
    async send(records, signal) {
      const observed = toTime(Date.now())
      const readable = records.map((record) => toReadable(record, observed, shared))
      const late = AbortSignal.timeout(batchTimeoutMs)
      const exported = await untilAborted(exportOnce(readable), AbortSignal.any([signal, late]))
      if (exported !== null)
        return outcomeOf(exported, records.length)
        // It would keep its connection for ever.
      ;(await agent).destroy()
      signal.throwIfAborted()
      throw new Error(`the collector did not answer within ${batchTimeoutMs} ms`)
    },
    close: () => void agent.then((opened) => opened.destroy())
  }
}

interface Exported {
  readonly result: ExportResult
  readonly partial: IExportLogsPartialSuccess | undefined
}

/** @returns null if the signal aborted first */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const end = () => resolve(null)
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', end))
}

/** @throws Error if the records may be taken later */
function outcomeOf({ result: { code, error }, partial }: Exported, count: number): LogOutcome {
  if (code === ExportResultCode.SUCCESS) {
    const rejected = Math.min(Math.max(Number(partial?.rejectedLogRecords ?? 0), 0), count)
    return { kind: 'taken', rejected, message: partial?.errorMessage?.slice(0, maxMessageLength) || null }
  }
  const status = error instanceof OTLPExporterError ? error.code : undefined
  if (status !== undefined && refusals.has(status)) return { kind: 'refused', status }
  // Not the exporter's error: it has the body of the answer.
  if (status !== undefined) throw new Error(`the collector answered with status ${status}`)
  throw new Error('the collector is away or overloaded', { cause: error })
}

function toReadable(record: LogRecord, observed: [number, number], shared: Shared): ReadableLogRecord {
  const { atMs, eventName, body, severity, attributes } = record
  return {
    ...shared,
    ...severities[severity],
    eventName,
    body,
    attributes,
    hrTime: toTime(atMs),
    hrTimeObserved: observed,
    droppedAttributesCount: 0
  }
}

/** Seconds and nanoseconds. */
function toTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}
