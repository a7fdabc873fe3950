import { type Static, Type } from 'typebox'

/**
 * OpenTelemetry's own variables for logs, as far as they are checked here. The exporter itself also reads
 * `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE`, `_CLIENT_CERTIFICATE` and `_CLIENT_KEY`,
 * and their forms with `LOGS_`.
 *
 * `OTEL_EXPORTER_OTLP_ENDPOINT` alone starts no export: many collectors of traces take no logs.
 */
export const logExportVariables = {
  /** The whole URL. Without it nothing is exported, and OpenTelemetry's SDK is not loaded for it. */
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: Type.String({ default: '' }),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: Type.Enum(['http/protobuf'], {
    default: 'http/protobuf',
    must: 'http/protobuf: Tollgate sends logs in no other form'
  })
}

const LogExportVariables = Type.Object({
  ...logExportVariables,
  OTEL_SDK_DISABLED: Type.Enum(['true', 'false'])
})

/** A value of an attribute. */
export type LogValue = string | number | boolean

/** A line of an OpenTelemetry log. */
export interface LogRecord {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** The kind of the record. It never changes. */
  readonly eventName: string
  /** For people. */
  readonly body: string
  readonly severity: 'info' | 'warn'
  readonly attributes: Readonly<Record<string, LogValue>>
}

/**
 * The answer of a collector that has read the records. `taken`: it has them, except for `rejected` ones, which must not
 * be sent again. `refused`: it takes none of them, and would refuse them again.
 */
export type LogOutcome =
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string | null }
  | { readonly kind: 'refused'; readonly status: number }

/** Sends records to a collector. One call at a time. */
export interface LogSender {
  /** @throws Error if the collector is away, is too slow, or refuses the sender: send the records again later */
  send(records: readonly LogRecord[], signal: AbortSignal): Promise<LogOutcome>
  /** Closes the connections. */
  close(): void
}

export type LogExportVariables = Static<typeof LogExportVariables>

/** Where logs go. */
export interface LogExportSettings {
  readonly url: string
  /** How long the collector has for a batch with all its retries, ms. Default: 15 s. */
  readonly batchTimeoutMs?: number
}

/** A rule for `loadConfig`. */
export function checkLogExport({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url }: LogExportVariables): string | null {
  if (url === '' || (/^https?:[/][/]/.test(url) && URL.canParse(url))) return null
  return 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: must be an http:// or https:// URL with its path, such as http://localhost:4318/v1/logs'
}

/** @returns null if no logs are to be sent */
export function readLogExport(variables: LogExportVariables): LogExportSettings | null {
  const { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url, OTEL_SDK_DISABLED } = variables
  return url === '' || OTEL_SDK_DISABLED === 'true' ? null : { url }
}
