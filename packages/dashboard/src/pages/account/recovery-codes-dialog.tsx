import { useState } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CodeField } from '../auth/code-field.tsx'
import { readPasswordAndCode } from './read-password-and-code.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Asks for password and code, then shows new recovery codes. */
export function RecoveryCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <NewRecoveryCodesDialog codes={codes} onClose={onClose} />
  return (
    <Dialog title="Make new recovery codes?" description="Your old recovery codes stop working." onClose={onClose}>
      <DialogForm
        action="Make codes"
        onClose={onClose}
        read={readPasswordAndCode}
        submit={async (body) => {
          const made = await call('makeRecoveryCodes', { body })
          setCodes(made.recovery_codes)
          await refresh('getSecondFactor')
        }}
      >
        <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
        <CodeField />
      </DialogForm>
    </Dialog>
  )
}

/** Shows codes that nobody can read later. */
export function NewRecoveryCodesDialog({
  codes,
  onClose
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}) {
  return (
    <Dialog
      key="codes"
      title="Save your recovery codes"
      description="If you lose your phone, sign in with one of these instead. Each works once. We can’t show them again."
      onClose={onClose}
      isDismissable={false}
    >
      <RecoveryCodes codes={codes} onDone={onClose} />
    </Dialog>
  )
}
