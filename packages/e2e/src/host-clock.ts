const tickMs = 20

/** Measures time only while this process gets to run. So a host that stalls makes nothing look late. */
export interface HostClock {
  /** Since its start, ms. */
  ms(): number
  stop(): void
}

/** Starts a clock that counts at most two ticks for each tick that comes late. */
export function startHostClock(): HostClock {
  let counted = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    counted += Math.min(now - last, 2 * tickMs)
    last = now
  }
  const timer = setInterval(tick, tickMs)
  return {
    ms() {
      tick()
      return counted
    },
    stop: () => clearInterval(timer)
  }
}
