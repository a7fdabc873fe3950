import { useState } from 'react'
import { withHintIfLost } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form, readNothing } from '../../forms/form.tsx'
import { NewPasswordField } from '../../forms/new-password-field.tsx'
import { onlyProblems, problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { useUser } from '../../layout/owner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useToast } from '../../ui/toast.tsx'

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

function ChangePasswordForm() {
  const showToast = useToast()
  const [changes, setChanges] = useState(0)
  return (
    <Form
      // A new key clears the fields after a change.
      key={changes}
      read={(data) => {
        const current = textOf(data, 'current_password')
        const password = textOf(data, 'password')
        const problems = onlyProblems({
          current_password: current === '' ? 'Enter your current password.' : null,
          password: problemOfNewPassword(password)
        })
        return Object.keys(problems).length > 0
          ? { ok: false, problems }
          : { ok: true, values: { current_password: current, password } }
      }}
      submit={async (body) => {
        await call('changePassword', { body }).catch((error: unknown) => {
          throw withHintIfLost(error, 'If your current password is refused then, it is already the new one.')
        })
        showToast('Password changed. You are signed out everywhere else.')
        setChanges(changes + 1)
      }}
    >
      {(isBusy) => (
        <>
          <PasswordField name="current_password" label="Current password" autoComplete="current-password" required />
          <NewPasswordField label="New password" />
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Change password
          </Button>
        </>
      )}
    </Form>
  )
}
