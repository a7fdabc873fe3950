import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField } from './credentials.tsx'
import { forgetMailLink } from './mail-link.ts'
import type { Credential } from './read-mail-link.ts'

type SetPasswordFormProps = {
  readonly credential: Credential
  /** Called when the credential has been used up: with it, or before. */
  readonly onDone: (outcome: 'set' | 'dead') => void | Promise<void>
}

function readPassword(data: FormData): Reading<{ readonly password: string }> {
  const password = textOf(data, 'password')
  const problem = problemOfNewPassword(password)
  return problem === null ? { ok: true, values: { password } } : { ok: false, problems: { password: problem } }
}

/** Chooses a password with what the link of a mail brought. */
export function SetPasswordForm({ credential, onDone }: SetPasswordFormProps) {
  const setPassword = async (password: string): Promise<'set' | 'dead'> => {
    try {
      await call('resetPassword', { body: { ...credential, password } })
      return 'set'
    } catch (error) {
      if (isCode(error, 'link_invalid')) return 'dead'
      throw error
    }
  }
  return (
    <Form
      read={readPassword}
      submit={async ({ password }) => {
        const outcome = await setPassword(password)
        forgetMailLink()
        await onDone(outcome)
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
