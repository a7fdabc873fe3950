import { TraceFlags } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'

/** Spans that wait at most. Further ones are dropped. */
const maxWaiting = 4096
/** Encoding a span takes about 10 µs, during which requests wait. */
const maxBatch = 256
const defaultDelayMs = 1000
/**
 * The collector has so long for one batch. The exporter's own timeout does not end answers that arrive byte by byte.
 */
const defaultBatchTimeoutMs = 15_000
const reportIntervalMs = 60_000

export interface SpanQueueOptions {
  readonly exporter: SpanExporter
  /** Called at most once a minute. @param dropped since the last call */
  readonly onDropped: (dropped: number) => void
  /** Called when a batch took too long. It ends the exporter's calls: they would count against its limit for ever. */
  readonly onTimeout: () => void
  /** How long spans wait for others, ms. */
  readonly delayMs?: number | undefined
  /** How long a batch may take, ms. */
  readonly batchTimeoutMs?: number | undefined
}

/**
 * Collects ended spans, and sends them in batches, one at a time. It never waits for the collector: what does not fit
 * into the queue is dropped and counted. The SDK's own processor counts no dropped spans.
 */
export class SpanQueue implements SpanProcessor {
  dropped = 0
  readonly #exporter: SpanExporter
  readonly #onDropped: (dropped: number) => void
  readonly #onTimeout: () => void
  readonly #delayMs: number
  readonly #batchTimeoutMs: number
  #waiting: ReadableSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | null = null
  #beingSent = 0
  #isClosed = false
  #reported = 0
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: SpanQueueOptions) {
    this.#exporter = options.exporter
    this.#onDropped = options.onDropped
    this.#onTimeout = options.onTimeout
    this.#delayMs = options.delayMs ?? defaultDelayMs
    this.#batchTimeoutMs = options.batchTimeoutMs ?? defaultBatchTimeoutMs
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return
    if (this.#isClosed || this.#waiting.length >= maxWaiting) {
      this.#drop(1)
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= maxBatch) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), this.#delayMs).unref()
  }

  /** Sends all waiting spans, one batch after the other. */
  async forceFlush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== null) {
      this.#send()
      await this.#sending
    }
  }

  async shutdown(): Promise<void> {
    await this.forceFlush()
  }

  /** Drops what the collector does not have yet, and all further spans. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#drop(this.#waiting.length + this.#beingSent)
    this.#waiting = []
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // The end of the batch that is being sent starts the timer again.
    if (this.#sending !== null || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, maxBatch)
    this.#beingSent = batch.length
    this.#sending = this.#export(batch).then((isSent) => {
      this.#sending = null
      this.#beingSent = 0
      if (!isSent && !this.#isClosed) this.#drop(batch.length)
      if (this.#waiting.length >= maxBatch) this.#send()
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), this.#delayMs).unref()
    })
  }

  /** @returns whether the collector has the batch */
  #export(batch: ReadableSpan[]): Promise<boolean> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => {
        resolve(false)
        this.#onTimeout()
      }, this.#batchTimeoutMs).unref()
      this.#exporter.export(batch, ({ code }) => {
        clearTimeout(timeout)
        resolve(code === ExportResultCode.SUCCESS)
      })
    })
  }

  #drop(count: number): void {
    if (count === 0) return
    this.dropped += count
    const now = performance.now()
    if (now - this.#reportedAt < reportIntervalMs) return
    this.#reportedAt = now
    this.#onDropped(this.dropped - this.#reported)
    this.#reported = this.dropped
  }
}
