import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { CaptchaField, captchaOf, problemOfCaptcha } from '../../captcha/captcha-field.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { onlyProblems, problemOfAddress, textOf } from '../../forms/read-fields.ts'
import { tellOtherTabs } from '../../layout/tell-other-tabs.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { CodeField } from './code-field.tsx'
import { AddressField } from './credentials.tsx'
import { codeOf, problemOfCode } from './read-code.ts'
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

/** Signs in. Asks for a code if needed, and offers to send the confirmation e-mail again. */
export function LoginForm({ onSignedIn }: { readonly onSignedIn: () => void | Promise<void> }) {
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
          <AddressField />
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
