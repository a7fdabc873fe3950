import { setTimeout as delay } from 'node:timers/promises'

const firstRetryMs = 25
/** Waits grow up to this, so that waiting does not slow down what is waited for. */
const longestRetryMs = 150
const requestLimitMs = 2_000

/** A GET that is answered with 200 when a server is ready. */
export interface ReadyCheck {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Resolves when the check succeeds.
 *
 * @param signal ends the wait: the promise then rejects with its reason
 */
export async function untilReady({ url, headers = {} }: ReadyCheck, signal: AbortSignal): Promise<void> {
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 1.2, longestRetryMs)) {
    signal.throwIfAborted()
    try {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)])
      })
      await response.body?.cancel()
      if (response.status === 200) return
    } catch {
      // Not listening yet.
    }
    await delay(retryMs, undefined, { signal })
  }
}
