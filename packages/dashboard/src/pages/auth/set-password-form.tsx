import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { CheckField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { NewPasswordField } from '../../forms/new-password-field.tsx'
import { problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { type Credential, forgetMailLink } from './mail-link.ts'

interface SetPasswordFormProps {
  readonly credential: Credential
  /** Whether the form offers to revoke existing API keys. */
  readonly mayRevokeKeys?: boolean
  /** Whether the new password also signs in. A user with a second factor still has to sign in. */
  readonly signsIn?: boolean
  /** Called once the credential is used up, by this form or earlier. */
  readonly onDone: (outcome: Outcome) => void | Promise<void>
}

/** `pending`: the password is set, but keys are still being revoked. */
export type Outcome = 'signed-in' | 'set' | 'pending' | 'invalid'
interface Values {
  readonly password: string
  readonly isRevoking: boolean
}

function readPassword(data: FormData): Reading<Values> {
  const password = textOf(data, 'password')
  const problem = problemOfNewPassword(password)
  if (problem !== null) return { ok: false, problems: { password: problem } }
  return { ok: true, values: { password, isRevoking: data.has('revoke_keys') } }
}

/** Sets a password with the credential of a mailed link. */
export function SetPasswordForm({ credential, mayRevokeKeys = false, signsIn = false, onDone }: SetPasswordFormProps) {
  const setPassword = async ({ password, isRevoking }: Values): Promise<Outcome> => {
    try {
      const more = { ...(isRevoking && { revoke_keys: true }), ...(signsIn && { sign_in: true }) }
      const { user } = await call('resetPassword', { body: { ...credential, password, ...more } })
      return user === undefined ? 'set' : 'signed-in'
    } catch (error) {
      if (isCode(error, 'link_invalid')) return 'invalid'
      if (isCode(error, 'revocation_pending')) return 'pending'
      throw error
    }
  }
  return (
    <Form
      read={readPassword}
      submit={async (values) => {
        const outcome = await setPassword(values)
        forgetMailLink()
        await onDone(outcome)
      }}
    >
      {(isBusy) => (
        <>
          <NewPasswordField label="New password" />
          {mayRevokeKeys && (
            <div className="space-y-1">
              <CheckField name="revoke_keys" label="Also revoke my API keys" />
              <p className="text-[0.8125rem] text-ink-soft">
                Choose this if someone else may have used your account. Management keys are always revoked.
              </p>
            </div>
          )}
          <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
            Set password
          </Button>
        </>
      )}
    </Form>
  )
}
