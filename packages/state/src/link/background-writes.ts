import { setTimeout as delay } from 'node:timers/promises'
import { RedisRefusedError } from './execute.ts'
import { RedisAwayError, withoutCommand } from './redis-link.ts'

const [minRetryMs, maxRetryMs] = [50, 1000]

/**
 * A write that may be executed several times.
 *
 * @param isRetry whether Redis may have executed it without an acknowledgement
 */
export type BackgroundWrite = (isRetry: boolean) => Promise<void>

/** Sends writes, for which no request waits, until Redis acknowledges them. */
export class BackgroundWrites {
  readonly #onError: (error: Error) => void
  readonly #onFailure: () => void
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #isFailing = false

  /**
   * @param onError called once per outage when Redis rejects a write, but not while Redis is unreachable: that is
   * reported elsewhere
   * @param onFailure called for every failed attempt
   */
  constructor(onError: (error: Error) => void, onFailure: () => void = () => {}) {
    this.#onError = onError
    this.#onFailure = onFailure
  }

  start(write: BackgroundWrite): void {
    const writing = this.#untilAcknowledged(write)
    this.#underWay.add(writing)
    void writing.finally(() => this.#underWay.delete(writing))
  }

  /** Resolves once Redis has acknowledged everything. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Makes no further attempts. @returns how many writes had no acknowledgement yet */
  async stop(): Promise<number> {
    const lost = this.#underWay.size
    this.#stopping.abort()
    await this.idle()
    return lost
  }

  /** Retries after a growing random wait, so that the gateways do not flood Redis when it is back. */
  async #untilAcknowledged(write: BackgroundWrite): Promise<void> {
    const { signal } = this.#stopping
    for (let retryMs = minRetryMs; ; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      try {
        await write(retryMs > minRetryMs)
        this.#isFailing = false
        return
      } catch (error) {
        this.#failed(error as Error)
      }
      if (signal.aborted) return
      await delay(retryMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  #failed(error: Error): void {
    this.#onFailure()
    const isKnown = error instanceof RedisAwayError && !(error instanceof RedisRefusedError)
    if (isKnown || this.#isFailing) return
    this.#isFailing = true
    this.#onError(withoutCommand(error))
  }
}
