import { firstPage } from '@tollgate/contracts/http/return-path.ts'
import { useEffect, useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form, type Reading, readNothing } from '../../forms/form.tsx'
import { codeOf, onlyProblems, problemOfCode, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { Button, Spinner } from '../../ui/button.tsx'
import { openDashboard, takeNext } from './after-sign-in.ts'
import { CodeField } from './code-field.tsx'
import { type Confirmation, forgetMailLink, mailLink } from './mail-link.ts'
import { LinkMissing, SignedInBanner, SignInNotice } from './sign-in-notice.tsx'

type State =
  /** This browser may have registered the address. Then control asks for no password. */
  | { readonly kind: 'trying'; readonly confirmation: Confirmation }
  | { readonly kind: 'ask'; readonly confirmation: Confirmation }
  /** The address was registered with a different password than the one just typed. */
  | { readonly kind: 'mismatch'; readonly confirmation: Confirmation; readonly password: string }
  | { readonly kind: 'invalid' }
  /** The page was reloaded: it keeps the link in memory only. */
  | { readonly kind: 'missing' }

interface Proof {
  readonly password: string
  readonly code?: string
}

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

/** The page that the confirmation e-mail links to. It confirms the address together with its password. */
export function ConfirmPage() {
  const [state, setState] = useState<State>(() => {
    const link = mailLink()
    if (link?.kind === 'confirm') return { kind: 'trying', confirmation: link.confirmation }
    return { kind: link === null ? 'missing' : 'invalid' }
  })
  useEffect(() => {
    if (state.kind !== 'trying') return
    const { confirmation } = state
    const confirmWithoutPassword = async () => {
      try {
        await call('confirm', { body: confirmation })
        await proceed()
      } catch (error) {
        setState(isCode(error, 'link_invalid') ? endLink() : { kind: 'ask', confirmation })
      }
    }
    void confirmWithoutPassword()
  }, [state])
  const [needsCode, setNeedsCode] = useState(false)
  const confirm = async (confirmation: Confirmation, proof: Proof, set: boolean) => {
    try {
      await call('confirm', { body: { ...confirmation, ...proof, set } })
    } catch (error) {
      if (isCode(error, 'second_factor_required')) return setNeedsCode(true)
      // A second mismatch means that the password must not be replaced. The API's message says what to do.
      if (isCode(error, 'password_mismatch') && !set) {
        return setState({ kind: 'mismatch', confirmation, password: proof.password })
      }
      if (!isCode(error, 'link_invalid')) throw error
      return setState(endLink())
    }
    await proceed()
  }
  switch (state.kind) {
    case 'trying':
      return (
        <AuthLayout title="Confirming your e-mail address">
          <Spinner />
        </AuthLayout>
      )
    case 'ask':
      return <PasswordStep needsCode={needsCode} onSubmit={(proof) => confirm(state.confirmation, proof, false)} />
    case 'mismatch':
      return (
        <MismatchStep
          onReplace={() => confirm(state.confirmation, { password: state.password }, true)}
          onBack={() => setState({ kind: 'ask', confirmation: state.confirmation })}
        />
      )
    case 'missing':
      return <LinkMissing />
    case 'invalid':
      return (
        <SignInNotice
          title="This link does not work"
          description="It was already used, has expired or is incomplete. Sign in: if your address is not confirmed yet, you can request a new e-mail there."
        />
      )
  }
}

/** The link will never work again. */
function endLink(): State {
  forgetMailLink()
  return { kind: 'invalid' }
}

/** Goes on to the page that somebody wanted to see when they registered, or to the first key. */
async function proceed(): Promise<void> {
  forgetMailLink()
  tellOtherTabs()
  await openDashboard(takeNext() ?? firstPage)
}

interface PasswordStepProps {
  readonly needsCode: boolean
  readonly onSubmit: (proof: Proof) => Promise<void>
}

function PasswordStep({ needsCode, onSubmit }: PasswordStepProps) {
  return (
    <AuthLayout
      title="Confirm your e-mail address"
      description="Enter the password you chose when you registered. This confirms your address and signs you in."
    >
      <SignedInBanner />
      <Form read={readProof} submit={onSubmit}>
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
}

interface MismatchStepProps {
  /** Replaces the stored password with the typed one. */
  readonly onReplace: () => Promise<void>
  readonly onBack: () => void
}

function MismatchStep({ onReplace, onBack }: MismatchStepProps) {
  return (
    <AuthLayout
      title="This address was registered with a different password"
      description="Someone else may have registered your address. If you use the password you typed, the other one stops working."
    >
      <Form read={readNothing} submit={onReplace}>
        {(isBusy) => (
          <>
            <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
              Use the password I typed
            </Button>
            <Button className="w-full" isBusy={isBusy} onClick={onBack}>
              Enter another password
            </Button>
          </>
        )}
      </Form>
    </AuthLayout>
  )
}
