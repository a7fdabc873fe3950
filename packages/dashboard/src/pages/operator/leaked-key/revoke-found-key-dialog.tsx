import { Link } from '@tanstack/react-router'
import type { AdminAnswer } from '../../../api/admin.ts'
import { isolate, nameOfKey, shownPrefix, visibleText } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { Facts } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { keyStates, revokeReportedKey } from '../account/keys-card.tsx'
import { ActDialog } from '../act-dialog.tsx'

export type FoundKey = AdminAnswer<'findKey'>['key']

interface RevokeFoundKeyDialogProps {
  readonly leak: FoundKey
  readonly onRevoked: (revoked: AdminAnswer<'revokeKey'>) => void
  readonly onClose: () => void
}

/** Shows whose key was found, and revokes it once the operator confirms it. */
export function RevokeFoundKeyDialog({ leak, onRevoked, onClose }: RevokeFoundKeyDialogProps) {
  const [tone, state] = keyStates[leak.status]
  return (
    <ActDialog
      title={`Revoke “${isolate(nameOfKey(leak))}”?`}
      effects={[
        'Every gateway refuses the key at once. This cannot be undone.',
        'Its owner gets a mail with the reason, if this service has a mail server.'
      ]}
      action="Revoke key"
      tone="danger"
      reasonLabel="Where was it found?"
      reasonHint="The customer reads it in the mail and in their audit log."
      read={readNothing}
      submit={async (_, { reason }) => {
        // By its id: the pasted secret is of no more use.
        onRevoked(await revokeReportedKey({ id: leak.id }, reason))
        return null
      }}
      onClose={onClose}
    >
      <div className="rounded-xl border border-line bg-sunken p-4">
        <Facts
          facts={[
            [
              'Account',
              <Link
                key="account"
                to="/dashboard/operator/accounts/$id"
                params={{ id: leak.account_id }}
                target="_blank"
                className={`break-all ${textLink}`}
              >
                {describeOwner(leak)}
              </Link>
            ],
            ['Last used', leak.last_used_at === null ? 'Never' : <Moment key="used" at={leak.last_used_at} />],
            [
              'Status',
              <Badge key="status" tone={tone}>
                {state}
              </Badge>
            ],
            [
              'First characters',
              <code key="prefix" className="font-mono">
                {shownPrefix(leak)}
              </code>
            ],
            ['For', leak.scope === 'management' ? 'Managing keys' : 'Models'],
            ['Created', <Moment key="created" at={leak.created_at} />]
          ]}
        />
      </div>
    </ActDialog>
  )
}

const describeOwner = ({ owner_name: name, owner_email: email, account_id: id }: FoundKey): string => {
  if (email === '') return `Deleted owner, account ${id}`
  return visibleText(name) === '' ? email : `${isolate(name)} (${email})`
}
