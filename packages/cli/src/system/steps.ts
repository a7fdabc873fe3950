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
    let isAnnounced = false
    const timer = setTimeout(() => {
      isAnnounced = true
      onStep?.(`${what} …`)
    }, announcedAfterMs)
    try {
      const result = await run()
      const seconds = (performance.now() - beganAt) / 1000
      if (isAnnounced) onStep?.(`${what}: done in ${seconds.toFixed(1)} s.`)
      return result
    } finally {
      clearTimeout(timer)
    }
  }
}
