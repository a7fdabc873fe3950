import { isCode } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { queryClient, read } from '../api/queries.ts'
import { isPrivatePage } from './restored-pages.ts'
import { sessionChannel } from './tell-other-tabs.ts'

/** Updates this tab when another one changes the session, so that nobody acts as a different user than the page shows. */
export function followOtherTabs(): void {
  sessionChannel.addEventListener('message', () => void checkUser())
}

async function checkUser(): Promise<void> {
  const shown = queryClient.getQueryData(read('getUser').queryKey)
  if (shown === undefined || !isPrivatePage()) return
  // A reload would discard unsaved input, so it happens only for a different user, or none.
  const current = await call('getUser').catch((error: unknown) => (isCode(error, 'not_authenticated') ? null : shown))
  if (current?.user.id === shown.user.id) await queryClient.invalidateQueries()
  else window.location.reload()
}
