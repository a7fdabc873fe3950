import { explain } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { queryClient } from '../api/queries.ts'
import { useToast } from '../ui/toast.tsx'
import { forgetKeptTexts } from './kept-texts.ts'
import { tellOtherTabs } from './tabs.ts'

/** A function that signs out in this browser and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const showToast = useToast()
  return async () => {
    try {
      await call('signout')
      await finishSignOut()
    } catch (error) {
      showToast(`You may still be signed in. ${explain(error)}`, 'failed')
    }
  }
}

/**
 * Opens the sign-in page, or another page for signed-out people, after the session has ended. The full page load drops
 * all data of the signed-out user.
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
  forgetKeptTexts()
}
