import { call } from '../../api/call.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField } from './credentials.tsx'
import { forgetMailLink } from './mail-link.ts'
import type { MailLink } from './read-mail-link.ts'

type SetPasswordFormProps = {
  readonly credential: NonNullable<MailLink['credential']>
  readonly onDone: () => void
}

function readPassword(data: FormData): Reading<{ readonly password: string }> {
  const password = textOf(data, 'password')
  const problem = problemOfNewPassword(password)
  return problem === null ? { ok: true, values: { password } } : { ok: false, problems: { password: problem } }
}

/** Chooses a password with what the link of a mail brought. */
export function SetPasswordForm({ credential, onDone }: SetPasswordFormProps) {
  return (
    <Form
      read={readPassword}
      submit={async ({ password }) => {
        await call('resetPassword', { body: { ...credential, password } })
        forgetMailLink()
        onDone()
      }}
    >
      {(isBusy) => (
        <>
          <NewPasswordField label="New password" />
          <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
            Set password
          </Button>
        </>
      )}
    </Form>
  )
}
