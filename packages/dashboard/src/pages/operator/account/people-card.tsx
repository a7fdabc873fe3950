import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { countOf } from '../../../format/number.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ActDialog } from '../act-dialog.tsx'

interface PeopleCardProps {
  readonly account: AdminAccount
  readonly onSignOut: () => void
}

/** Everyone who acts for the account, with their open sessions. */
export function PeopleCard({ account, onSignOut }: PeopleCardProps) {
  const { users } = account
  return (
    <Card
      isFlush
      title="People"
      {...(users.length > 0 && { actions: <Button onClick={onSignOut}>Sign out everywhere</Button> })}
    >
      {users.length === 0 ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">The account has no people any more.</p>
      ) : (
        <ul aria-label="People" className="divide-y divide-line border-t border-line">
          {users.map(({ id, email, name, role, sessions }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-6 gap-y-1 px-5 py-3.5 text-sm">
              <div className="min-w-0 flex-1 basis-48">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  <span className="min-w-0 break-all">{email}</span>
                  {role === 'owner' && <Badge tone="accent">Owner</Badge>}
                </p>
                {visibleText(name) !== '' && <p className="break-words text-ink-soft">{name}</p>}
              </div>
              <p className="text-ink-soft">{countOf(sessions, 'open session')}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

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
