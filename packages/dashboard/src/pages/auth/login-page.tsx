import { useEffect, useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import { readNext, withNext } from './next-path.ts'
import { openDashboard } from './open-dashboard.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import { ProviderCodeForm } from './provider-code-form.tsx'
import { explainProviderFailure, isProviderFailure } from './provider-failures.ts'
import { SignedInBanner } from './signed-in-banner.tsx'

/** What the address says, as control and the dashboard write it. */
function readSearch() {
  const search = new URLSearchParams(window.location.search)
  return {
    error: search.get('error'),
    hasEnded: search.get('ended') === '1',
    /** Whether a sign-in with a provider waits for the code of the second factor. */
    needsCode: search.get('code') === 'required',
    next: readNext(window.location.search)
  }
}

export function LoginPage() {
  const [{ error, hasEnded, needsCode, next }] = useState(readSearch)
  const [hasExpired, setExpired] = useState(false)
  const [link] = useState(mailLink)
  // A later visit must not show the link's message again.
  useEffect(() => forgetMailLink, [])
  const isChanged = link?.kind === 'address'
  const isInvalidLink = error === 'link_invalid' || link?.kind === 'invalid'
  const problem = hasExpired ? 'provider_expired' : error
  const failure = isProviderFailure(problem) ? explainProviderFailure(problem) : null
  const proceed = () => openDashboard(next)
  if (needsCode && !hasExpired) {
    return (
      <AuthLayout title="Enter your code" description="Your account has a second factor.">
        <ProviderCodeForm onSignedIn={proceed} onExpired={() => setExpired(true)} />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <a href={withNext('/register', next)} className={textLink}>
            Create an account
          </a>
        </>
      }
    >
      <SignedInBanner next={next} />
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
        {failure !== null && (
          <Banner tone="warning" title={failure.title}>
            {failure.text}
          </Banner>
        )}
        {hasEnded && !isChanged && !isInvalidLink && (
          <Banner title="You have been signed out">Sign in again to continue where you left off.</Banner>
        )}
        <ProviderButtons next={next} />
        <LoginForm onSignedIn={proceed} />
      </div>
    </AuthLayout>
  )
}
