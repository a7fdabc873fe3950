import { useEffect, useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import { nextPath } from './next-path.ts'
import { openDashboard } from './open-dashboard.ts'

export function LoginPage() {
  const [search] = useState(() => new URLSearchParams(window.location.search))
  const [link] = useState(mailLink)
  // A later visit must not show the link's message again.
  useEffect(() => forgetMailLink, [])
  const isChanged = link?.kind === 'address'
  const isInvalidLink = search.get('error') === 'link_invalid' || link?.kind === 'invalid'
  return (
    <AuthLayout
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <a href="/register" className={textLink}>
            Create an account
          </a>
        </>
      }
    >
      <div className="space-y-5">
        {isChanged && (
          <Banner tone="success" title="Your new e-mail address is confirmed">
            You can sign in now.
          </Banner>
        )}
        {isInvalidLink && (
          <Banner tone="warning" title="This link does not work">
            It was already used or has expired. Sign in: if your address is not confirmed yet, you can request a new
            e-mail.
          </Banner>
        )}
        {search.get('ended') === '1' && !isChanged && !isInvalidLink && (
          <Banner title="You have been signed out">Sign in again to continue where you left off.</Banner>
        )}
        <LoginForm onSignedIn={() => openDashboard(nextPath(search.get('next')))} />
      </div>
    </AuthLayout>
  )
}
