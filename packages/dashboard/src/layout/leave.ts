import { queryClient } from '../api/queries.ts'
import { tellOtherTabs } from './other-tabs.ts'

/**
 * Leaves for the sign-in page once the session is over. The whole page goes, and with it everything that was read for who
 * was signed in.
 *
 * @returns never: what was pressed stays busy until the page is gone
 */
export function leave(): Promise<never> {
  tellOtherTabs()
  // Not before: what is still shown would be read again.
  window.addEventListener('pagehide', () => queryClient.clear(), { once: true })
  window.location.assign('/login')
  return new Promise(() => {})
}
