import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { mailLink } from './mail-link.ts'
import type { MailLink } from './read-mail-link.ts'
import { SetPasswordForm } from './set-password-form.tsx'

type State =
  | Exclude<MailLink, { readonly kind: 'confirm' }>
  /** `isPending`: keys are being revoked, and some may still work. */
  | { readonly kind: 'set'; readonly isPending: boolean }

function stateOf(link: MailLink | null): State {
  // The router leads confirmations to their own page.
  return link === null || link.kind === 'confirm' ? { kind: 'dead' } : link
}

/** Where the mail leads that somebody asked for who forgot their password. */
export const ResetPasswordPage = () => <PasswordPage isFirst={false} />

/** Where the mail leads by which the operator invites somebody to the service. */
export const FirstPasswordPage = () => <PasswordPage isFirst />

/** @param props.isFirst whether there was no password before */
function PasswordPage({ isFirst }: { readonly isFirst: boolean }) {
  // What the link brought is kept no longer than until it has been used.
  const [state, setState] = useState<State>(() => stateOf(mailLink()))
  const router = useRouter()
  switch (state.kind) {
    case 'password':
      return (
        <AuthLayout
          title={isFirst ? 'Choose a password' : 'Choose a new password'}
          description={
            isFirst ? 'You have been invited. You sign in with it from now on.' : 'You sign in with it from now on.'
          }
        >
          <SetPasswordForm
            credential={state.credential}
            mayRevokeKeys={!isFirst}
            onDone={(outcome) =>
              setState(outcome === 'dead' ? { kind: 'dead' } : { kind: 'set', isPending: outcome === 'pending' })
            }
          />
        </AuthLayout>
      )
    case 'set':
      return (
        <AuthLayout title="Sign in">
          <div className="space-y-5">
            {isFirst ? (
              <Banner tone="success" title="Your password is set" isNews />
            ) : (
              <Banner tone="success" title="Your new password is set" isNews>
                Everybody who was signed in with the old one has been signed out. Management keys are revoked.
              </Banner>
            )}
            {state.isPending && (
              <Banner tone="warning" title="Some keys may still work">
                They are being revoked. This completes by itself within seconds.
              </Banner>
            )}
            <LoginForm onSignedIn={() => router.history.push('/dashboard')} />
          </div>
        </AuthLayout>
      )
    case 'address':
      return (
        <AuthLayout
          title="The change of your e-mail address is confirmed"
          description="This link sets no password. Sign in with the one that you have."
          footer={
            <Link to="/forgot-password" className={textLink}>
              I have forgotten it: mail me a link
            </Link>
          }
        >
          <Link to="/login" className={buttonLook({ tone: 'primary' })}>
            Go to sign-in
          </Link>
        </AuthLayout>
      )
    case 'dead':
      return (
        <AuthLayout
          title="This link does not work"
          description={
            isFirst
              ? 'It has been used already, has expired, or lost its end on the way. If you have chosen a password with it, sign in.'
              : 'It has been used already, has expired, or lost its end on the way. Ask for another one.'
          }
          footer={
            <Link to="/login" className={textLink}>
              Back to sign-in
            </Link>
          }
        >
          <Link to="/forgot-password" className={buttonLook({ tone: 'primary' })}>
            Ask for a new link
          </Link>
        </AuthLayout>
      )
  }
}
