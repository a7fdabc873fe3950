import './fonts/fonts.css'
import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { isReturnPath } from '@tollgate/contracts/http/return-path.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isCode } from './api/api-error.ts'
import { call, onConfirmationNeeded, onRefetchShown, onSessionEnd } from './api/call.ts'
import { loadCode } from './api/load-code.ts'
import { queryClient, read } from './api/queries.ts'
import { keptKey } from './layout/kept-texts.ts'
import { removeFirstViewOnceFilled } from './layout/loading-page.tsx'
import { askToSignInAgain, couldLoseInput } from './layout/sign-in-again.ts'
import { sessionChannel } from './layout/tabs.ts'
import { takeMailLink } from './pages/auth/mail-link.ts'
import { openSignIn } from './pages/auth/open-sign-in.ts'
import { router } from './router.tsx'

const privatePaths = /^\/(dashboard|invitations)(\/|$)/

/** Whether the current page shows data of a signed-in user. */
const isPrivatePage = (): boolean => privatePaths.test(window.location.pathname)

/**
 * Reloads private pages that the browser restores from its back/forward cache, and hides them until then. A restored
 * page could show the data of a user who has signed out since.
 */
function reloadRestoredPages(): void {
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted && isPrivatePage()) document.body.hidden = true
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && isPrivatePage()) window.location.reload()
  })
}

takeMailLink()
reloadRestoredPages()
followOtherTabs()

onSessionEnd(async () => {
  const { href } = router.latestLocation
  // An invitation page shows its own sign-in form: its address has a token, which must not appear in another address.
  if (!isReturnPath(href)) return false
  return couldLoseInput() ? askToSignInAgain(href) : openSignIn({ ended: '1', next: href })
})
let confirming: Promise<boolean> | null = null
onConfirmationNeeded(() => {
  // Calls that fail meanwhile wait for the same answer.
  confirming ??= loadCode(() => import('./pages/auth/confirm-identity.tsx'))
    .then(({ confirmIdentity }) => confirmIdentity())
    .finally(() => {
      confirming = null
    })
  return confirming
})
onRefetchShown(() => void queryClient.invalidateQueries())

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
removeFirstViewOnceFilled(root)
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      {/* The content security policy refuses inline styles. */}
      <CSPProvider disableStyleElements>
        <RouterProvider router={router} />
      </CSPProvider>
    </QueryClientProvider>
  </StrictMode>
)

/**
 * Updates this tab when another one changes the session, so that nobody acts as a different user than the page shows.
 */
function followOtherTabs(): void {
  sessionChannel.addEventListener('message', () => void checkUser())
}

async function checkUser(): Promise<void> {
  const present = queryClient.getQueryData(read('getUser').queryKey)
  if (present === undefined || !isPrivatePage()) return
  // A reload would discard unsaved input, so it happens only for a different user, or none.
  const current = await call('getUser').catch((error: unknown) => (isCode(error, 'not_authenticated') ? null : present))
  if (current?.user.id === present.user.id) return queryClient.invalidateQueries()
  keptKey.forget()
  window.location.reload()
}
