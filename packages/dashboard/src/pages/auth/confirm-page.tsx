import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient } from '../../api/queries.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/other-tabs.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { forgetMailLink, mailLink } from './mail-link.ts'
import type { Confirmation } from './read-mail-link.ts'

type State =
  | { readonly kind: 'ask'; readonly confirmation: Confirmation }
  /** The address was registered with a different password than the one just typed. */
  | { readonly kind: 'mismatch'; readonly confirmation: Confirmation; readonly password: string }
  | { readonly kind: 'invalid' }

function readPassword(data: FormData): Reading<{ readonly password: string }> {
  const password = textOf(data, 'password')
  return password === ''
    ? { ok: false, problems: { password: 'Enter your password.' } }
    : { ok: true, values: { password } }
}

/** The page that the confirmation e-mail links to. It confirms the address together with its password. */
export function ConfirmPage() {
  const [state, setState] = useState<State>(() => {
    const link = mailLink()
    return link?.kind === 'confirm' ? { kind: 'ask', confirmation: link.confirmation } : { kind: 'invalid' }
  })
  const router = useRouter()
  const confirm = async (confirmation: Confirmation, password: string, set: boolean) => {
    try {
      await call('confirm', { body: { ...confirmation, password, set } })
    } catch (error) {
      if (isCode(error, 'password_mismatch')) return setState({ kind: 'mismatch', confirmation, password })
      if (!isCode(error, 'link_invalid')) throw error
      forgetMailLink()
      return setState({ kind: 'invalid' })
    }
    forgetMailLink()
    // A different user may have been signed in before.
    queryClient.clear()
    tellOtherTabs()
    router.history.push('/dashboard')
  }
  switch (state.kind) {
    case 'ask':
      return (
        <AuthLayout
          title="Confirm your e-mail address"
          description="Enter the password you chose when you registered. This confirms your address and signs you in."
        >
          <Form read={readPassword} submit={({ password }) => confirm(state.confirmation, password, false)}>
            {(isBusy) => (
              <>
                <PasswordField name="password" label="Password" autoComplete="current-password" required />
                <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
                  Confirm and sign in
                </Button>
              </>
            )}
          </Form>
        </AuthLayout>
      )
    case 'mismatch':
      return (
        <AuthLayout
          title="This address was registered with a different password"
          description="Someone else may have registered your address. If you use the password you typed, the other one stops working."
        >
          <Form
            read={() => ({ ok: true, values: {} })}
            submit={() => confirm(state.confirmation, state.password, true)}
          >
            {(isBusy) => (
              <>
                <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
                  Use the password I typed
                </Button>
                <Button
                  className="w-full"
                  isBusy={isBusy}
                  onClick={() => setState({ kind: 'ask', confirmation: state.confirmation })}
                >
                  Enter another password
                </Button>
              </>
            )}
          </Form>
        </AuthLayout>
      )
    case 'invalid':
      return (
        <AuthLayout
          title="This link does not work"
          description="It was already used, has expired or is incomplete. Sign in: if your address is not confirmed yet, you can request a new e-mail there."
          footer={
            <Link to="/forgot-password" className={textLink}>
              Forgot your password?
            </Link>
          }
        >
          <Link to="/login" className={buttonLook({ tone: 'primary' })}>
            Go to sign-in
          </Link>
        </AuthLayout>
      )
  }
}
