import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CodeField, codeOf, problemOfCode } from '../auth/code-field.tsx'

export function RemoveSecondFactorDialog({ onClose }: { readonly onClose: () => void }) {
  const showToast = useToast()
  return (
    <Dialog
      title="Turn off the second factor?"
      description="Signing in then needs only your password. You are signed out everywhere else."
      onClose={onClose}
    >
      <DialogForm
        action="Turn off"
        tone="danger"
        onClose={onClose}
        read={(data) => {
          const password = textOf(data, 'current_password')
          const code = codeOf(data)
          const problems = onlyProblems({
            current_password: password === '' ? 'Enter your password.' : null,
            code: problemOfCode(code)
          })
          return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, values: { password, code } }
        }}
        submit={async (body) => {
          await call('removeSecondFactor', { body })
          showToast('The second factor is off.')
          onClose()
          await refresh('getSecondFactor')
        }}
      >
        <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
        <CodeField />
      </DialogForm>
    </Dialog>
  )
}
