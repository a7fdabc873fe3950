import { setTimeout as delay } from 'node:timers/promises'
import { startHostClock } from './host-clock.ts'

/**
 * Polls until the answer is the expected one.
 *
 * @param timeoutMs on a clock that stands still while the host does
 * @returns the different answers in order, and the time it took, ms
 */
export async function untilOutcome(
  ask: () => Promise<string>,
  expected: string,
  { timeoutMs = 60_000, pauseMs = 20 } = {}
): Promise<{ seen: string[]; ms: number }> {
  const clock = startHostClock()
  const seen: string[] = []
  try {
    for (;;) {
      const outcome = await ask()
      if (seen.at(-1) !== outcome) seen.push(outcome)
      const ms = clock.ms()
      if (outcome === expected) return { seen, ms: Math.round(ms) }
      if (ms > timeoutMs) throw new Error(`the answers were only ${seen.join(', ')}`)
      await delay(pauseMs)
    }
  } finally {
    clock.stop()
  }
}
