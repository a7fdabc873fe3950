import { call } from '../../api/call.ts'
import { Form } from '../../forms/form.tsx'
import { finishSignOut } from '../../layout/finish-sign-out.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

export function SignOutEverywhereDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Sign out everywhere?"
      description="You have to sign in again in every browser, including this one. Your API keys keep working."
      onClose={onClose}
    >
      <Form
        read={() => ({ ok: true, values: null })}
        submit={async () => {
          // Signing out with an expired session would succeed without ending the others. This call fails then, and asks to sign in.
          await call('getTeam')
          await call('signout', { body: { everywhere: true } })
          await finishSignOut()
        }}
      >
        {(isBusy) => (
          <DialogActions>
            <Button disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" tone="primary" isBusy={isBusy}>
              Sign out everywhere
            </Button>
          </DialogActions>
        )}
      </Form>
    </Dialog>
  )
}
