import { ApiError, isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'

const withoutCookie =
  'You are signed in, but your browser did not keep the session cookie. Allow cookies for this site, then sign in again.'

/**
 * Opens the dashboard after signing in. Its code is another one, so the browser loads the page. Going back does not return
 * to the sign-in form.
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
