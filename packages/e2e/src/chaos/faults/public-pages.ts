import { setTimeout as delay } from 'node:timers/promises'
import type { Findings } from '../measure/measured.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'

const paths = ['/', '/models', '/status', '/api/status']
const everyMs = 500
/** A page waits two seconds for the database at most, and the machine is busy. */
const timeoutMs = 5000

/**
 * Opens public pages at every replica of control while `breaking` runs. They need nothing fresh from the database, so
 * each must answer with 200.
 */
export async function watchPublicPages(
  { controls }: ChaosSystem,
  findings: Findings,
  breaking: () => Promise<void>
): Promise<void> {
  let isOver = false
  let count = 0
  let longestMs = 0
  const open = async (url: string) => {
    const begunAt = performance.now()
    const outcome = await fetch(url, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(timeoutMs) }).then(
      (response) => response.text().then(() => String(response.status)),
      (error: Error) => error.name
    )
    count += 1
    longestMs = Math.max(longestMs, performance.now() - begunAt)
    if (outcome !== '200') findings.broken.push(`a public page was not served: ${new URL(url).pathname} ${outcome}`)
  }
  const watch = async () => {
    while (!isOver) {
      await Promise.all(controls.flatMap(({ url }) => paths.map((path) => open(`${url}${path}`))))
      await delay(everyMs)
    }
  }
  const watching = watch()
  await breaking()
  isOver = true
  await watching
  findings.seen.push(`${count} public pages served, the slowest in ${Math.round(longestMs)} ms`)
}
