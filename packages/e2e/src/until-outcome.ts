import { setTimeout as delay } from 'node:timers/promises'

const tickMs = 20

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

/** Measures time only while this process gets to run. So a host that stalls makes nothing look late. */
interface HostClock {
  /** Since its start, ms. */
  ms(): number
  stop(): void
}

/** Starts a clock that counts at most two ticks for each tick that comes late. */
export function startHostClock(): HostClock {
  let totalMs = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    totalMs += Math.min(now - last, 2 * tickMs)
    last = now
  }
  const timer = setInterval(tick, tickMs)
  return {
    ms() {
      tick()
      return totalMs
    },
    stop: () => clearInterval(timer)
  }
}
