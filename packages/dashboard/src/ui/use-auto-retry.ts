import { useEffect, useEffectEvent, useRef } from 'react'
import { retryDelayMs } from '../api/retry-delay.ts'

export interface Retry {
  readonly error: unknown
  readonly onRetry: () => void
  /** Whether an attempt is running. */
  readonly isRetrying: boolean
}

const isVisible = (): boolean => document.visibilityState === 'visible'

/**
 * How many attempts have failed since a page was last shown. The failure of a whole page is rendered anew after each.
 */
export const pageAttempts = { current: 0 }

/**
 * Repeats a failed read while its failure is shown: after a while, and at once when the browser is online again. Hidden
 * pages wait until they are visible. Only temporary failures are repeated.
 *
 * @param counter {@link pageAttempts} for the failure of a whole page
 * @returns whether it will be repeated
 */
export function useAutoRetry({ error, onRetry, isRetrying }: Retry, counter?: { current: number }): boolean {
  const own = useRef(0)
  const attempts = counter ?? own
  const retry = useEffectEvent(() => {
    attempts.current += 1
    onRetry()
  })
  useEffect(() => {
    const delayMs = isRetrying ? null : retryDelayMs(error, attempts.current)
    if (delayMs === null) return
    let isDue = false
    const retryIfDue = () => {
      if (isDue && isVisible()) retry()
    }
    const timer = setTimeout(() => {
      isDue = true
      retryIfDue()
    }, delayMs)
    const onOnline = () => {
      attempts.current = 0
      retry()
    }
    window.addEventListener('online', onOnline)
    document.addEventListener('visibilitychange', retryIfDue)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', onOnline)
      document.removeEventListener('visibilitychange', retryIfDue)
    }
  }, [error, isRetrying, attempts])
  return retryDelayMs(error, 0) !== null
}
