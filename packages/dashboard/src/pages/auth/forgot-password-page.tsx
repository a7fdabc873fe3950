import { useState } from 'react'
import { call } from '../../api/call.ts'
import { CaptchaField, captchaOf, problemOfCaptcha } from '../../captcha/captcha-field.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { onlyProblems, problemOfAddress, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { AddressField } from './credentials.tsx'
import { DemoMailbox } from './demo-mailbox.tsx'

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
