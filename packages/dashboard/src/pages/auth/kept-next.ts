import { isReturnPath } from '@tollgate/contracts/http/return-path.ts'

const name = 'next'
/** The mailed link is valid for a day at most. */
const keptMs = 24 * 3_600_000

/**
 * Keeps the page to return to until the mailed link is opened, in any tab of this browser. Without a page, it forgets an earlier one.
 * Browsers can forbid storage; the overview is opened then.
 *
 * @param now milliseconds since the epoch
 */
export function keepNext(next: string | undefined, now = Date.now()): void {
  try {
    if (next === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, `${now} ${next}`)
  } catch {
    // See above.
  }
}

/** Reads the kept page, and forgets it. @returns undefined if no page is kept, or for too long */
export function takeNext(now = Date.now()): string | undefined {
  try {
    const [, at = '', next = ''] = /^(\d+) (.*)$/.exec(localStorage.getItem(name) ?? '') ?? []
    localStorage.removeItem(name)
    return now - Number(at) < keptMs && isReturnPath(next) ? next : undefined
  } catch {
    return undefined
  }
}
