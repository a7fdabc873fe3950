import { setTimeout as delay } from 'node:timers/promises'

const retryMs = 25
const requestLimitMs = 2_000

/**
 * Resolves when a GET of `url` is answered with 200.
 *
 * @param signal ends the wait: the promise then rejects with its reason
 */
export async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]) })
      await response.body?.cancel()
      if (response.status === 200) return
    } catch {
      // Not listening yet.
    }
    await delay(retryMs, undefined, { signal })
  }
}
