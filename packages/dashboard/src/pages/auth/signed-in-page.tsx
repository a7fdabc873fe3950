import { useEffect } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/tell-other-tabs.ts'
import { buttonLook } from '../../ui/button.tsx'

/** Ends a sign-in that another tab asked for. The tab closes itself where the browser lets it. */
export function SignedInPage() {
  useEffect(() => {
    tellOtherTabs()
    window.close()
  }, [])
  return (
    <AuthLayout title="You can go on" description="Close this tab and go back to the one that you came from.">
      <a href="/dashboard" className={buttonLook()}>
        Open the dashboard here
      </a>
    </AuthLayout>
  )
}
