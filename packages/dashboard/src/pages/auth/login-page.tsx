import { useEffect, useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { codeOf, problemOfCode } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { openDashboard, readNext, withNext } from './after-sign-in.ts'
import { CodeField } from './code-field.tsx'
import { LoginForm, ProviderButtons } from './login-form.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import { SignedInBanner } from './sign-in-notice.tsx'

/** Why a sign-in with a provider failed: the `error` that control puts into the address of the sign-in page. */
const failures = {
  provider_denied: {
    title: 'You cancelled the sign-in',
    text: 'Try again, or sign in with your password.'
  },
  provider_expired: {
    title: 'Start the sign-in again',
    text: 'It took too long, or it began in another browser.'
  },
  provider_failed: {
    title: 'The sign-in failed',
    text: 'Try again. If it keeps failing, sign in with your password.'
  },
  provider_address: {
    title: 'Your e-mail address is not verified there',
    text: 'The provider has not verified your e-mail address. Verify it there, then try again. You can also register here, with a password.'
  },
  provider_closed: {
    title: 'New registrations are closed',
    text: 'Ask the operator of this service for an account.'
  },
  identity_unavailable: {
    title: 'Signing in is not possible right now',
    text: 'Try again in a few seconds.'
  },
  too_many_requests: {
    title: 'Too many attempts',
    text: 'Wait a minute, then try again.'
  }
} as const

type ProviderFailure = keyof typeof failures

const isProviderFailure = (text: unknown): text is ProviderFailure =>
  typeof text === 'string' && Object.hasOwn(failures, text)

const explainProviderFailure = (failure: ProviderFailure) => failures[failure]

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
        <LoginForm onSignedIn={proceed} isFocused />
      </div>
    </AuthLayout>
  )
}

function readCode(data: FormData): Reading<{ readonly code: string }> {
  const code = codeOf(data)
  const problem = problemOfCode(code)
  return problem === null ? { ok: true, values: { code } } : { ok: false, problems: { code: problem } }
}

interface ProviderCodeFormProps {
  readonly onSignedIn: () => void | Promise<void>
  /** Called if the sign-in with the provider took too long. */
  readonly onExpired: () => void
}

/** Asks for the code of the second factor after a sign-in with a provider. */
function ProviderCodeForm({ onSignedIn, onExpired }: ProviderCodeFormProps) {
  const submit = async (body: { readonly code: string }) => {
    try {
      await call('enterLoginCode', { body })
    } catch (error) {
      if (!isCode(error, 'not_authenticated')) throw error
      return onExpired()
    }
    tellOtherTabs()
    await onSignedIn()
  }
  return (
    <Form read={readCode} submit={submit}>
      {(isBusy) => (
        <>
          <CodeField isFocused />
          <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
            Sign in
          </Button>
          <p className="text-sm">
            <a href="/login" className={textLink}>
              Sign in another way
            </a>
          </p>
        </>
      )}
    </Form>
  )
}
