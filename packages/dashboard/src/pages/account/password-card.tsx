import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form, readNothing } from '../../forms/form.tsx'
import { useUser } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'

/** Changes the password, or mails a link to set the first one. */
export function PasswordCard() {
  return useUser().has_password === false ? (
    <Card title="Password" description="You sign in with another provider and have no password here.">
      <SetPasswordByMail />
    </Card>
  ) : (
    <Card title="Password" description="Changing your password signs you out everywhere else.">
      <ChangePasswordForm />
    </Card>
  )
}

/** Mails the person a link to set their first password: their address is the proof. */
export function SetPasswordByMail() {
  const { email } = useUser()
  const [isMailed, setMailed] = useState(false)
  return (
    <Form
      read={readNothing}
      submit={async () => {
        await call('forgotPassword', { body: { email } })
        setMailed(true)
      }}
    >
      {(isBusy) => (
        <>
          <p className="text-sm break-words text-ink-soft">
            We mail a link to {email}. Once you set a password, you are signed out everywhere and your management keys
            are revoked.
          </p>
          {isMailed && (
            <p role="status" className="text-sm">
              We sent you a link. It can take a minute.
            </p>
          )}
          <Button type="submit" isBusy={isBusy}>
            {isMailed ? 'Send the link again' : 'Set a password by e-mail'}
          </Button>
        </>
      )}
    </Form>
  )
}
