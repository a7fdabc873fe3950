import { useState } from 'react'
import { withHintIfLost } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { NewPasswordField } from '../../forms/new-password-field.tsx'
import { onlyProblems, problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'

export function ChangePasswordForm() {
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
