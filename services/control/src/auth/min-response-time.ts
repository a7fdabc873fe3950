import { setTimeout as delay } from 'node:timers/promises'

/**
 * Minimum response times, so that an answer's duration does not tell whether an address is known. The provider hashes a
 * password, or sends a mail, only for some addresses.
 */
export interface MinResponseTimes {
  /** For a login with a wrong address or password. */
  readonly refusedLoginMs: number
  /** Also for other requests of a mail, if forms show a CAPTCHA. */
  readonly registerMs: number
}

/** Longer than a provider in the same region takes to hash a password, or to hand over a mail. */
export const defaultMinResponseTimes: MinResponseTimes = { refusedLoginMs: 500, registerMs: 1000 }

/** Starts the clock. @returns a function that resolves once `minMs` have passed since the start */
export function startMinResponseTime(minMs: number): () => Promise<void> {
  const started = performance.now()
  return async () => {
    const leftMs = minMs - (performance.now() - started)
    if (leftMs > 0) await delay(leftMs)
  }
}
