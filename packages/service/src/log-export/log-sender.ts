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
 * The answer of a collector that has read the records. `taken`: it has them, except for `rejected` ones, which must not be sent again.
 * `refused`: it takes none of them, and would refuse them again.
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
