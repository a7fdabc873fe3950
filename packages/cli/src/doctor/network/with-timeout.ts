/** Rejects with a `TimeoutError` if a promise does not settle in time. The work itself goes on. */
export async function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(
    () => timer.reject(new DOMException(`no answer in ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs
  )
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
