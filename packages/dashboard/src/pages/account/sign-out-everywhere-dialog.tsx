import { call } from '../../api/call.ts'
import { Form } from '../../forms/form.tsx'
import { leave } from '../../layout/leave.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

export function SignOutEverywhereDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Sign out everywhere?"
      description="Every browser in which you are signed in has to sign in again, this one included. Keys go on working."
      onClose={onClose}
    >
      <Form
        read={() => ({ ok: true, values: null })}
        submit={async () => {
          // A session that is over ends no others, and that would look like success: who has none is asked to sign in.
          await call('getTeam')
          await call('signout', { body: { everywhere: true } })
          await leave()
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
