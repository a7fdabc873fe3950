import { withTimeout } from './with-timeout.ts'

/** How long callers wait. A lost connection to PostgreSQL may say nothing for many minutes. */
const timeoutMs = 2000

/**
 * Makes a question whose last answer is good enough while there is no new one. It is not asked again before it was
 * answered, however long that takes. Never rejects.
 *
 * @param first the answer until there is one
 * @param ask asks PostgreSQL
 * @param onFailure is told why an answer did not come, or not in time
 */
export function keepLastAnswer<Answer, Asked extends readonly unknown[]>(
  first: Answer,
  ask: (...asked: Asked) => Promise<Answer>,
  onFailure: (err: unknown) => void
): (...asked: Asked) => Promise<Answer> {
  let last = first
  let isAsked = false
  return async (...asked) => {
    if (isAsked) return last
    isAsked = true
    const answer = ask(...asked)
    answer
      .catch(() => undefined)
      .finally(() => {
        isAsked = false
      })
    try {
      last = await withTimeout(timeoutMs, answer)
    } catch (err) {
      onFailure(err)
    }
    return last
  }
}
