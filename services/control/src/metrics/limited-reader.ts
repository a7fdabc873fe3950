import { withTimeout } from '../background/with-timeout.ts'

/** How long an answer of a server is used again, ms: several scrapers must not multiply the queries. */
const maxAgeMs = 3000
/** How long a scrape waits for a server, ms. A scraper gives up after ten seconds. */
const timeoutMs = 2000
/** How long a question may stay without an answer before another is asked, ms. */
const patienceMs = 30_000

/**
 * Limits how often and how long a server is asked for values of metrics.
 *
 * While a question has no answer, no other is asked: a slow server must not get more and more work. After half a minute, the
 * next scrape asks again: the answer was lost with its connection.
 *
 * @param ask asks the server
 * @returns a function that returns the last answer, or null if the last question failed or has no answer in time. Never rejects
 */
export function createLimitedReader<Answer>(
  ask: () => Promise<Answer>,
  { now = () => performance.now() }: { now?: () => number } = {}
): () => Promise<Answer | null> {
  let asking: { readonly since: number; readonly answer: Promise<Answer | null> } | null = null
  let last: { readonly at: number; readonly answer: Answer | null } | null = null

  function start() {
    const answer = ask().catch(() => null)
    const question = { since: now(), answer }
    void answer.then((value) => {
      // Not the late answer to a question that was given up.
      if (asking !== question) return
      asking = null
      last = { at: now(), answer: value }
    })
    asking = question
    return question
  }

  return async () => {
    if (asking === null && last !== null && now() - last.at < maxAgeMs) return last.answer
    const isLost = asking !== null && now() - asking.since > patienceMs
    const { since, answer } = asking === null || isLost ? start() : asking
    const leftMs = timeoutMs - (now() - since)
    return leftMs <= 0 ? null : withTimeout(leftMs, answer).catch(() => null)
  }
}
