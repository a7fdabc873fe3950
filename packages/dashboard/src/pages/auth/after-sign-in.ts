import { isReturnPath } from '@tollgate/contracts/http/return-path.ts'
import { ApiError, isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'

/**
 * The page of this site that an address asks to return to after signing in; undefined if it asks for none, or for
 * another site.
 */
export function readNext(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next')
  return next !== null && isReturnPath(next) ? next : undefined
}

/** An address that keeps the page to return to. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`

const name = 'next'
/** The mailed link is valid for a day at most. */
const keptMs = 24 * 3_600_000

/**
 * Keeps the page to return to until the mailed link is opened, in any tab of this browser. Without a page, it forgets
 * an earlier one. Browsers can forbid storage; the overview is opened then.
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

const withoutCookie =
  'You are signed in, but your browser did not keep the session cookie. Allow cookies for this site, then sign in again.'

/**
 * Opens the dashboard after signing in. Its code is another one, so the browser loads the page. Going back does not
 * return to the sign-in form.
 *
 * @returns a promise that never resolves, so that the pressed button stays busy until the page is gone
 * @throws ApiError if the browser refused the session cookie. The dashboard would only show the sign-in form again.
 */
export async function openDashboard(path = '/dashboard'): Promise<never> {
  try {
    await call('getUser')
  } catch (error) {
    if (isCode(error, 'not_authenticated')) throw new ApiError(error.status, error.code, withoutCookie)
  }
  window.location.replace(path)
  return new Promise(() => {})
}
