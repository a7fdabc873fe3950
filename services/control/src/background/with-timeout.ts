/**
 * Waits for work, but not longer than a timeout. The work itself continues.
 *
 * @throws the error of the work, or Error after the timeout
 */
export async function withTimeout<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // Timers run before arrived data is read. So a long turn of this process does not look like silence of the other
  // side.
  const giveUp = () => setImmediate(() => reject(new Error(`not done within ${timeoutMs} ms`)))
  const timer = setTimeout(giveUp, timeoutMs)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
