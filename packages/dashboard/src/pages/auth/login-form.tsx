import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { CaptchaField, captchaOf, problemOfCaptcha } from '../../captcha/captcha-field.tsx'
import { PasswordField, TextField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { codeOf, onlyProblems, problemOfAddress, problemOfCode, textOf } from '../../forms/read-fields.ts'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { signInFacts } from '../../page-facts.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { withNext } from './after-sign-in.ts'
import { CodeField, focus } from './code-field.tsx'
import { ResendButton } from './resend-button.tsx'

interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string
  readonly captcha_token?: string
}

function readCredentials(data: FormData): Reading<Credentials> {
  const email = textOf(data, 'email').trim()
  const password = textOf(data, 'password')
  // The field exists only after the API asked for a code.
  const code = data.has('code') ? codeOf(data) : null
  const problems = onlyProblems({
    email: problemOfAddress(email),
    password: password === '' ? 'Enter your password.' : null,
    code: code === null ? null : problemOfCode(code),
    captcha_token: problemOfCaptcha(data)
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, values: { email, password, ...(code !== null && { code }), ...captchaOf(data) } }
}

interface LoginFormProps {
  readonly onSignedIn: () => void | Promise<void>
  /** Moves the focus to the address when the form appears. */
  readonly isFocused?: boolean
}

/** Signs in. Asks for a code if needed, and offers to send the confirmation e-mail again. */
export function LoginForm({ onSignedIn, isFocused = false }: LoginFormProps) {
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const [needsCode, setNeedsCode] = useState(false)
  const submit = async (credentials: Credentials) => {
    setUnconfirmed(null)
    try {
      await call('login', { body: credentials })
    } catch (error) {
      if (isCode(error, 'second_factor_required')) return setNeedsCode(true)
      // The user of a different address may have no second factor.
      if (isCode(error, 'invalid_credentials')) setNeedsCode(false)
      if (!isCode(error, 'email_not_confirmed')) throw error
      return setUnconfirmed(credentials.email)
    }
    tellOtherTabs()
    await onSignedIn()
  }
  return (
    <Form read={readCredentials} submit={submit}>
      {(isBusy) => (
        <>
          <AddressField isFocused={isFocused} />
          <PasswordField name="password" label="Password" autoComplete="current-password" required />
          {needsCode && <CodeField isFocused />}
          <p className="text-sm">
            <a href="/forgot-password" className={textLink}>
              Forgot your password?
            </a>
          </p>
          {unconfirmed !== null && (
            <Banner tone="warning" title="Confirm your e-mail address first" isAnnounced>
              <p>We sent a link to {unconfirmed} when you registered.</p>
              <ResendButton email={unconfirmed} />
            </Banner>
          )}
          <CaptchaField isBusy={isBusy} />
          <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
            Sign in
          </Button>
        </>
      )}
    </Form>
  )
}

interface AddressFieldProps {
  readonly defaultValue?: string
  /** Moves the focus to the field when it appears. */
  readonly isFocused?: boolean
}

export function AddressField({ defaultValue, isFocused = false }: AddressFieldProps) {
  return (
    <TextField
      name="email"
      label="E-mail address"
      type="email"
      autoComplete="email"
      inputMode="email"
      maxLength={255}
      required
      {...(defaultValue !== undefined && { defaultValue })}
      {...(isFocused && { ref: focus })}
    />
  )
}

interface ProviderButtonsProps {
  /** The page of the dashboard to open once signed in. */
  readonly next?: string | undefined
}

/** Links to the sign-in providers that the operator offers. Nothing without any. */
export function ProviderButtons({ next }: ProviderButtonsProps) {
  if (signInFacts.providers.length === 0) return null
  return (
    <div className="mb-5 space-y-5">
      <div className="grid gap-2">
        {signInFacts.providers.map(({ id, name }) => (
          <a key={id} href={withNext(`/api/auth/providers/${id}`, next)} className={buttonLook()}>
            Continue with {name}
          </a>
        ))}
      </div>
      <p className="flex items-center gap-3 text-[0.8125rem] text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or with your e-mail address
      </p>
    </div>
  )
}
