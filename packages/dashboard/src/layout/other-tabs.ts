import { call } from '../api/call.ts'
import { queryClient, read } from '../api/queries.ts'
import { isPersonal } from './stale-pages.ts'

/** All tabs of a browser share one session: what one of them does to it holds in the others, which show who was signed in. */
const channel = new BroadcastChannel('session')

/** Tells the other tabs that somebody has signed in or out, or acts for another account from now on. */
export function tellOtherTabs(): void {
  channel.postMessage(null)
}

/** Follows what other tabs tell: nobody does as one user what they see the page of another for. */
export function followOtherTabs(): void {
  channel.addEventListener('message', () => void lookWhoIsSignedIn())
}

async function lookWhoIsSignedIn(): Promise<void> {
  const shown = queryClient.getQueryData(read('getUser').queryKey)
  if (shown === undefined || !isPersonal()) return
  const present = await call('getUser').catch(() => null)
  // The same person may lose what they are writing, and keeps the page.
  if (present?.user.id === shown.user.id) await queryClient.invalidateQueries()
  else window.location.reload()
}
