import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { countOf } from '../../../format/number.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'

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
