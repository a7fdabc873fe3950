/** A step that takes longer is announced, milliseconds. */
const defaultAnnouncedAfterMs = 2000

/**
 * Reports the slow steps of a start: each one when it has taken two seconds, and when it ends.
 *
 * @returns a function that runs a step
 */
export function createSteps(
  onStep: ((text: string) => void) | undefined,
  announcedAfterMs: number = defaultAnnouncedAfterMs
) {
  return async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
    const beganAt = performance.now()
    const timer = setTimeout(() => onStep?.(`${what} …`), announcedAfterMs)
    try {
      const result = await run()
      const ms = performance.now() - beganAt
      if (ms > announcedAfterMs) onStep?.(`${what}: done in ${(ms / 1000).toFixed(1)} s.`)
      return result
    } finally {
      clearTimeout(timer)
    }
  }
}
