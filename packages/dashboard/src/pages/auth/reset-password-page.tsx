import { useState } from 'react'
import { call } from '../../api/call.ts'
import { CaptchaField, captchaOf, problemOfCaptcha } from '../../captcha/captcha-field.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { onlyProblems, problemOfAddress, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { openDashboard } from './after-sign-in.ts'
import { AddressField, LoginForm } from './login-form.tsx'
import { type MailLink, mailLink } from './mail-link.ts'
import { DemoMailbox } from './resend-button.tsx'
import { SetPasswordForm } from './set-password-form.tsx'
import { LinkMissing, SignInNotice } from './sign-in-notice.tsx'

interface Address {
  readonly email: string
  readonly captcha_token?: string
}

function readAddress(data: FormData): Reading<Address> {
  const email = textOf(data, 'email').trim()
  const problems = onlyProblems({ email: problemOfAddress(email), captcha_token: problemOfCaptcha(data) })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, values: { email, ...captchaOf(data) } }
}

export function ForgotPasswordPage() {
  const [mailed, setMailed] = useState<string | null>(null)
  return (
    <AuthLayout
      title="Forgot your password?"
      description="We will e-mail you a link to choose a new one."
      footer={
        <a href="/login" className={textLink}>
          Back to sign-in
        </a>
      }
    >
      <Form
        read={readAddress}
        submit={async (body) => {
          setMailed(null)
          await call('forgotPassword', { body })
          setMailed(body.email)
        }}
      >
        {(isBusy) => (
          <>
            <AddressField />
            {mailed !== null && (
              <Banner tone="success" title="Check your e-mail" isAnnounced>
                If {mailed} has an account, we sent a link to it. The link works once. <DemoMailbox />
              </Banner>
            )}
            <CaptchaField isBusy={isBusy} />
            <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
              Send link
            </Button>
          </>
        )}
      </Form>
    </AuthLayout>
  )
}

type State =
  | Exclude<MailLink, { readonly kind: 'confirm' }>
  /** The page was reloaded: it keeps the link in memory only. */
  | { readonly kind: 'missing' }
  /** `isPending`: keys are being revoked, and some may still work. */
  | { readonly kind: 'set'; readonly isPending: boolean }

function stateOf(link: MailLink | null): State {
  // The router opens the confirmation page for confirmations.
  if (link === null) return { kind: 'missing' }
  return link.kind === 'confirm' ? { kind: 'invalid' } : link
}

/** The page that the e-mail for a forgotten password links to. */
export const ResetPasswordPage = () => <PasswordPage isFirst={false} />

/** The page that the operator's invitation to the service links to. */
export const FirstPasswordPage = () => <PasswordPage isFirst />

/** @param props.isFirst whether the user has no password yet */
function PasswordPage({ isFirst }: { readonly isFirst: boolean }) {
  // The state drops the link's credential as soon as it is used.
  const [state, setState] = useState<State>(() => stateOf(mailLink()))
  switch (state.kind) {
    case 'password':
      return (
        <AuthLayout
          title={isFirst ? 'Choose a password' : 'Choose a new password'}
          description={
            isFirst
              ? 'You have been invited. Choose the password to sign in with.'
              : 'From now on, you sign in with it.'
          }
        >
          <SetPasswordForm
            credential={state.credential}
            mayRevokeKeys={!isFirst}
            signsIn={isFirst}
            onDone={(outcome) => {
              if (outcome === 'signed-in') {
                tellOtherTabs()
                return openDashboard()
              }
              setState(outcome === 'invalid' ? { kind: 'invalid' } : { kind: 'set', isPending: outcome === 'pending' })
            }}
          />
        </AuthLayout>
      )
    case 'set':
      return (
        <AuthLayout title="Sign in">
          <div className="space-y-5">
            {isFirst ? (
              <Banner tone="success" title="Your password is set" isAnnounced />
            ) : (
              <Banner tone="success" title="Your new password is set" isAnnounced>
                All sessions with the old password have ended. Management keys are revoked.
              </Banner>
            )}
            {state.isPending && (
              <Banner tone="warning" title="Some keys may still work">
                They are being revoked. This finishes on its own within seconds.
              </Banner>
            )}
            <LoginForm onSignedIn={() => openDashboard()} />
          </div>
        </AuthLayout>
      )
    case 'address':
      return (
        <SignInNotice title="Your new e-mail address is confirmed" description="Sign in with your current password." />
      )
    case 'missing':
      return <LinkMissing />
    case 'invalid':
      return <InvalidLink isFirst={isFirst} />
  }
}

function InvalidLink({ isFirst }: { readonly isFirst: boolean }) {
  return (
    <AuthLayout
      title="This link does not work"
      description={
        isFirst
          ? 'It was already used, has expired or is incomplete. If you already chose a password, sign in.'
          : 'It was already used, has expired or is incomplete. Request a new one.'
      }
      footer={
        <a href="/login" className={textLink}>
          Back to sign-in
        </a>
      }
    >
      <a href="/forgot-password" className={buttonLook({ tone: 'primary' })}>
        Request a new link
      </a>
    </AuthLayout>
  )
}
