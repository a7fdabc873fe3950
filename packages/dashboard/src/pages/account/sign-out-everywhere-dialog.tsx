import { call } from '../../api/call.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { readNothing } from '../../forms/form.tsx'
import { finishSignOut } from '../../layout/finish-sign-out.ts'
import { Dialog } from '../../ui/dialog.tsx'

export function SignOutEverywhereDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Sign out everywhere?"
      description="You have to sign in again in every browser, including this one. Your API keys keep working."
      onClose={onClose}
    >
      <DialogForm
        action="Sign out everywhere"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          // Signing out with an expired session would succeed without ending the others. This call fails then, and asks to sign in.
          await call('getTeam')
          await call('signout', { body: { everywhere: true } })
          await finishSignOut()
        }}
      />
    </Dialog>
  )
}
