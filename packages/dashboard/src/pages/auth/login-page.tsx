import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import { nextPath } from './next-path.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import { ProviderCodeForm } from './provider-code-form.tsx'
import { explainProviderFailure, isProviderFailure } from './provider-failures.ts'

export function LoginPage() {
  const { error, ended, code, next } = useSearch({ from: '/login' })
  const router = useRouter()
  const [link] = useState(mailLink)
  // A later visit must not show the link's message again.
  useEffect(() => forgetMailLink, [])
  const isChanged = link?.kind === 'address'
  const isInvalidLink = error === 'link_invalid' || link?.kind === 'invalid'
  const failure = isProviderFailure(error) ? explainProviderFailure(error) : null
  const proceed = () => router.history.push(nextPath(next))
  if (code !== undefined) {
    return (
      <AuthLayout title="Enter your code" description="Your account has a second factor.">
        <ProviderCodeForm
          onSignedIn={proceed}
          onExpired={() => void router.navigate({ to: '/login', search: { error: 'provider_expired', next } })}
        />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <Link to="/register" className={textLink}>
            Create an account
          </Link>
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
        {failure !== null && (
          <Banner tone="warning" title={failure.title}>
            {failure.text}
          </Banner>
        )}
        {ended !== undefined && !isChanged && !isInvalidLink && (
          <Banner title="You have been signed out">Sign in again to continue where you left off.</Banner>
        )}
        <ProviderButtons next={next} />
        <LoginForm onSignedIn={proceed} />
      </div>
    </AuthLayout>
  )
}
