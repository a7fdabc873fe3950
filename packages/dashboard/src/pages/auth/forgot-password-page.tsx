import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { problemOfAddress, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { AddressField } from './credentials.tsx'

function readAddress(data: FormData): Reading<{ readonly email: string }> {
  const email = textOf(data, 'email').trim()
  const problem = problemOfAddress(email)
  return problem === null ? { ok: true, values: { email } } : { ok: false, problems: { email: problem } }
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
        submit={async ({ email }) => {
          await call('forgotPassword', { body: { email } })
          setMailed(email)
        }}
      >
        {(isBusy) => (
          <>
            <AddressField />
            {mailed !== null && (
              <Banner tone="success" title="Check your e-mail" isAnnounced>
                If {mailed} has an account, we sent a link to it. The link works once.
              </Banner>
            )}
            <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
              Send link
            </Button>
          </>
        )}
      </Form>
    </AuthLayout>
  )
}
