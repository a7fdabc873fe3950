import './fonts/fonts.css'
import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { isReturnPath } from '@tollgate/contracts/http/return-path.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onSessionEnd } from './api/call.ts'
import { onConfirmationNeeded } from './api/confirmation.ts'
import { loadCode } from './api/load-code.ts'
import { queryClient } from './api/queries.ts'
import { onRefetchShown } from './api/refetch-shown.ts'
import { removeFirstViewOnceFilled } from './layout/first-view-in-page.ts'
import { followOtherTabs } from './layout/other-tabs.ts'
import { reloadRestoredPages } from './layout/restored-pages.ts'
import { askToSignInAgain, couldLoseInput } from './layout/sign-in-again.ts'
import { takeMailLink } from './pages/auth/mail-link.ts'
import { openSignIn } from './pages/auth/open-sign-in.ts'
import { router } from './router.tsx'

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
