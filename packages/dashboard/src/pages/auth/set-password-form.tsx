import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { CheckField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField } from './credentials.tsx'
import { forgetMailLink } from './mail-link.ts'
import type { Credential } from './read-mail-link.ts'

type SetPasswordFormProps = {
  readonly credential: Credential
  /** Whether there may be keys of before, which can be revoked too. */
  readonly mayRevokeKeys?: boolean
  /** Called when the credential has been used up: with it, or before. */
  readonly onDone: (outcome: Outcome) => void | Promise<void>
}

/** `pending`: the password is set, and keys are still being revoked. */
export type Outcome = 'set' | 'pending' | 'dead'
type Values = { readonly password: string; readonly isRevoking: boolean }

function readPassword(data: FormData): Reading<Values> {
  const password = textOf(data, 'password')
  const problem = problemOfNewPassword(password)
  if (problem !== null) return { ok: false, problems: { password: problem } }
  return { ok: true, values: { password, isRevoking: data.has('revoke_keys') } }
}

/** Chooses a password with what the link of a mail brought. */
export function SetPasswordForm({ credential, mayRevokeKeys = false, onDone }: SetPasswordFormProps) {
  const setPassword = async ({ password, isRevoking }: Values): Promise<Outcome> => {
    try {
      await call('resetPassword', { body: { ...credential, password, ...(isRevoking && { revoke_keys: true }) } })
      return 'set'
    } catch (error) {
      if (isCode(error, 'link_invalid')) return 'dead'
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
                Choose this if somebody else may have used your account. Management keys are always revoked.
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
