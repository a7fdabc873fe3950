import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allowGone } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { read, refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { readNothing } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { useAccount, useUser } from '../../layout/owner.tsx'
import { finishSignOut } from '../../layout/sign-out.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

interface EndSessionDialogProps {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}

export function EndSessionDialog({ id, name, onClose }: EndSessionDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Sign out ${name}?`}
      description="This browser must sign in again. If you do not recognise it, change your password too."
      onClose={onClose}
    >
      <DialogForm
        action="Sign out"
        tone="danger"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await call('endSession', { params: { id } }).catch(allowGone)
          showToast('Session signed out.')
          onClose()
          await refresh('listSessions')
        }}
      />
    </Dialog>
  )
}

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
          // Signing out with an expired session would succeed without ending the others. This call fails then, and asks
          // to sign in.
          await call('getTeam')
          await call('signout', { body: { everywhere: true } })
          await finishSignOut()
        }}
      />
    </Dialog>
  )
}

/** Asks for the own address, so that nobody deletes an account by accident. */
export function DeleteAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { email } = useUser()
  const { role } = useAccount()
  const team = useQuery(read('getTeam'))
  if (role === 'owner' && (team.data?.team.members.length ?? 1) > 1) return <HasMembers onClose={onClose} />
  return (
    <Dialog title="Delete your account?" description="This cannot be undone." onClose={onClose}>
      <ul className="mb-5 list-disc space-y-1.5 pl-5 text-sm">
        <li>All keys of your account are revoked, and any subscription is cancelled.</li>
        <li>You are signed out. To use this address again, you have to register again.</li>
        <li>The operator keeps your usage records, without your name.</li>
      </ul>
      <DialogForm
        action="Delete account"
        tone="danger"
        onClose={onClose}
        read={(data) =>
          textOf(data, 'confirmation').trim().toLowerCase() === email.toLowerCase()
            ? { ok: true, values: null }
            : { ok: false, problems: { confirmation: 'This does not match your e-mail address.' } }
        }
        submit={async () => {
          await call('deleteUser')
          await finishSignOut('/goodbye')
        }}
      >
        <TextField
          name="confirmation"
          label="Type your e-mail address to confirm"
          hint={<span className="font-mono break-all text-ink">{email}</span>}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
        />
      </DialogForm>
    </Dialog>
  )
}

/** Says what comes first, before anything is typed. */
const HasMembers = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Delete your account?" onClose={onClose}>
    <p className="text-sm">Your team has other members. Remove them first, because they lose the account with you.</p>
    <DialogActions>
      <Link to="/dashboard/team" className={buttonLook({ tone: 'primary' })}>
        Open the team
      </Link>
      <Button onClick={onClose}>Close</Button>
    </DialogActions>
  </Dialog>
)
