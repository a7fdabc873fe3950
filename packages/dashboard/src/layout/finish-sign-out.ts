import { queryClient } from '../api/queries.ts'
import { tellOtherTabs } from './tell-other-tabs.ts'

/**
 * Opens the sign-in page after the session has ended. The full page load drops all data of the signed-out user.
 *
 * @returns a promise that never settles, so that the pressed button stays busy until the page is gone
 */
export function finishSignOut(): Promise<never> {
  tellOtherTabs()
  // Clearing the data earlier would make the visible page fetch it again.
  window.addEventListener('pagehide', () => queryClient.clear(), { once: true })
  window.location.assign('/login')
  return new Promise(() => {})
}
