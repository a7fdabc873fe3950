/**
 * Limits how often something is logged.
 *
 * @param intervalMs the least milliseconds between two calls of `act`
 * @returns call it for each event. It calls `act` with the number of events since the last call, at most once per interval
 */
export function createRareAction<Args extends unknown[]>(
  intervalMs: number,
  act: (count: number, ...args: Args) => void,
  now: () => number = () => performance.now()
): (...args: Args) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  let count = 0
  return (...args) => {
    count++
    if (now() - lastAt < intervalMs) return
    lastAt = now()
    act(count, ...args)
    count = 0
  }
}
