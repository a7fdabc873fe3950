import { setTimeout as delay } from 'node:timers/promises'

/**
 * Shortest times of answers whose duration could tell whether an address is known: the provider hashes a password, or
 * sends a mail, only for some. What ends below the floor looks alike.
 */
export type Floors = {
  /** Of a login that is refused because of address or password. */
  readonly refusedLoginMs: number
  readonly registerMs: number
}

/** Above what a provider in the same region takes for a password hash, and for handing over a mail. */
export const defaultFloors: Floors = { refusedLoginMs: 500, registerMs: 1000 }

/** Starts the clock. @returns a function that resolves once `floorMs` have passed since then */
export function startFloor(floorMs: number): () => Promise<void> {
  const started = performance.now()
  return async () => {
    const leftMs = floorMs - (performance.now() - started)
    if (leftMs > 0) await delay(leftMs)
  }
}
