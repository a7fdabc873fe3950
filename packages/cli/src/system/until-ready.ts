import { setTimeout as delay } from 'node:timers/promises'

const firstRetryMs = 25
/** Pauses grow up to this, so that the checks do not slow down the server. */
const maxRetryMs = 150
/** A server on a busy machine may need seconds for its first answer. */
const requestTimeoutMs = 10_000

/** A GET request that a ready server answers with 200. */
export interface ReadyCheck {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Resolves when the check succeeds.
 *
 * @param signal aborts the wait; the promise then rejects with its reason
 */
export async function untilReady({ url, headers = {} }: ReadyCheck, signal: AbortSignal): Promise<void> {
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 1.2, maxRetryMs)) {
    signal.throwIfAborted()
    try {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
      })
      await response.body?.cancel()
      if (response.status === 200) return
    } catch {
      // The server does not listen yet.
    }
    await delay(retryMs, undefined, { signal })
  }
}
