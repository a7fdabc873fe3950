import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import type { Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CodeField } from '../auth/code-field.tsx'
import { readPasswordAndCode } from './read-password-and-code.ts'

interface RemoveSecondFactorDialogProps {
  /** Whether the session began with a recovery code: then no code is needed. */
  readonly isRecovered: boolean
  readonly onClose: () => void
}

function readPassword(data: FormData): Reading<{ readonly password: string }> {
  const password = textOf(data, 'current_password')
  return password === ''
    ? { ok: false, problems: { current_password: 'Enter your password.' } }
    : { ok: true, values: { password } }
}

export function RemoveSecondFactorDialog({ isRecovered, onClose }: RemoveSecondFactorDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title="Turn off the second factor?"
      description="Signing in then needs only your password. You are signed out everywhere else, and your recovery codes stop working."
      onClose={onClose}
    >
      <DialogForm<{ readonly password: string; readonly code?: string }>
        action="Turn off"
        tone="danger"
        onClose={onClose}
        read={isRecovered ? readPassword : readPasswordAndCode}
        submit={async (body) => {
          await call('removeSecondFactor', { body })
          showToast('The second factor is off.')
          onClose()
          await refresh('getSecondFactor')
        }}
      >
        <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
        {!isRecovered && <CodeField />}
      </DialogForm>
    </Dialog>
  )
}
