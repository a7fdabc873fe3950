import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { PasswordField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
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
      <Form
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
        {(isBusy) => (
          <>
            <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
            <CodeField />
            <DialogActions>
              <Button disabled={isBusy} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" tone="danger" isBusy={isBusy}>
                Turn off
              </Button>
            </DialogActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
