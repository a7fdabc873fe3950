import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { countOf } from '../../../format/number.ts'
import { readNothing } from '../../../forms/form.tsx'
import { ActDialog } from '../act-dialog.tsx'

interface SignOutPeopleDialogProps {
  readonly account: AdminAccount
  readonly onClose: () => void
}

export function SignOutPeopleDialog({ account: { id, users }, onClose }: SignOutPeopleDialogProps) {
  const open = users.reduce((sum, { sessions }) => sum + sessions, 0)
  return (
    <ActDialog
      title="Sign out everywhere?"
      effects={[
        `Ends ${countOf(open, 'open session')} of ${countOf(users.length, 'person', 'people')}, in every browser.`,
        'They can sign in again with their passwords.',
        'The keys of the account keep working.'
      ]}
      action="Sign out everywhere"
      read={readNothing}
      submit={async (_, { reason }) => {
        const { sessions } = await adminCall('signOutAccount', { params: { id }, body: { reason } })
        return sessions === 0 ? 'Nobody was signed in.' : `${countOf(sessions, 'session')} signed out.`
      }}
      onClose={onClose}
    />
  )
}
