import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient } from '../../api/queries.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/other-tabs.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { CodeField, codeOf, problemOfCode } from './code-field.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import type { Confirmation } from './read-mail-link.ts'

type State =
  | { readonly kind: 'ask'; readonly confirmation: Confirmation }
  /** The address was registered with another password than the one that was typed. */
  | { readonly kind: 'mismatch'; readonly confirmation: Confirmation; readonly password: string }
  | { readonly kind: 'dead' }

type Proof = { readonly password: string; readonly code?: string }

function readProof(data: FormData): Reading<Proof> {
  const password = textOf(data, 'password')
  const code = data.has('code') ? codeOf(data) : null
  const problems = onlyProblems({
    password: password === '' ? 'Enter your password.' : null,
    code: code === null ? null : problemOfCode(code)
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, values: { password, ...(code !== null && { code }) } }
}

/** Where the confirmation mail leads: the address is confirmed together with its password. */
export function ConfirmPage() {
  const [state, setState] = useState<State>(() => {
    const link = mailLink()
    return link?.kind === 'confirm' ? { kind: 'ask', confirmation: link.confirmation } : { kind: 'dead' }
  })
  const router = useRouter()
  const [needsCode, setNeedsCode] = useState(false)
  const confirm = async (confirmation: Confirmation, proof: Proof, set: boolean) => {
    try {
      await call('confirm', { body: { ...confirmation, ...proof, set } })
    } catch (error) {
      if (isCode(error, 'second_factor_required')) return setNeedsCode(true)
      // A password that must not be replaced is a mismatch again: the message says what to do.
      if (isCode(error, 'password_mismatch') && !set) {
        return setState({ kind: 'mismatch', confirmation, password: proof.password })
      }
      if (!isCode(error, 'link_invalid')) throw error
      forgetMailLink()
      return setState({ kind: 'dead' })
    }
    forgetMailLink()
    // Whoever was signed in before may have been somebody else.
    queryClient.clear()
    tellOtherTabs()
    router.history.push('/dashboard')
  }
  switch (state.kind) {
    case 'ask':
      return (
        <AuthLayout
          title="Confirm your address"
          description="Enter the password that you chose when you registered. This confirms your address and signs you in."
        >
          <Form read={readProof} submit={(proof) => confirm(state.confirmation, proof, false)}>
            {(isBusy) => (
              <>
                <PasswordField name="password" label="Password" autoComplete="current-password" required />
                {needsCode && <CodeField isFocused />}
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
          title="This address was registered with another password"
          description="Use the one you just typed? The other password stops working. Somebody else may have registered your address with it."
        >
          <Form
            read={() => ({ ok: true, values: {} })}
            submit={() => confirm(state.confirmation, { password: state.password }, true)}
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
    case 'dead':
      return (
        <AuthLayout
          title="This link does not work"
          description="It has been used already, has expired, or lost its end on the way. Sign in: if your address is not confirmed yet, you can ask for another mail there."
          footer={
            <Link to="/forgot-password" className={textLink}>
              I have forgotten my password
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
