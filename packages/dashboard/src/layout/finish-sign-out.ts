import { queryClient } from '../api/queries.ts'
import { forgetKeptChat } from './kept-chat.ts'
import { tellOtherTabs } from './tell-other-tabs.ts'

/**
 * Opens the sign-in page, or another page for signed-out people, after the session has ended. The full page load drops all data of the signed-out user.
 *
 * @returns a promise that never settles, so that the pressed button stays busy until the page is gone
 */
export function finishSignOut(page: '/login' | '/goodbye' = '/login'): Promise<never> {
  tellOtherTabs()
  // Clearing the data earlier would make the visible page fetch it again.
  window.addEventListener('pagehide', forgetUser, { once: true })
  window.location.assign(page)
  return new Promise(() => {})
}

function forgetUser(): void {
  queryClient.clear()
  forgetKeptChat()
}
