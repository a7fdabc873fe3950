import type { AdminAccount, AdminKey } from '@tollgate/contracts/http/admin/accounts.ts'
import { type AdminAnswer, adminCall } from '../../../api/admin.ts'
import { ApiError, isCode } from '../../../api/api-error.ts'
import { isolate, nameOfKey, shownPrefix } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { RefusalBadge } from '../../keys/refusals.tsx'
import { ActDialog } from '../act-dialog.tsx'
import type { ReportedKey } from '../read-reported-key.ts'

interface KeysCardProps {
  readonly account: AdminAccount
  readonly onRevoke: (key: AdminAccount['key_list'][number]) => void
}

export const keyStates = {
  active: ['accent', 'Active'],
  paused: ['warning', 'Paused'],
  revoked: ['neutral', 'Revoked'],
  expired: ['warning', 'Expired']
} as const

/** The newest keys of an account, active keys first. */
export function KeysCard({ account, onRevoke }: KeysCardProps) {
  const { key_list: keys } = account
  return (
    <Card title="Keys" isFlush>
      {keys.length === 0 ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">The account has no keys.</p>
      ) : (
        <DataTable
          label="Keys"
          keyOf={({ id }) => id}
          rows={keys}
          columns={[
            {
              name: 'Key',
              show: (key) => (
                <>
                  {nameOfKey(key)}
                  <span className="block font-mono text-xs font-normal text-ink-soft">{shownPrefix(key)}</span>
                </>
              )
            },
            {
              name: 'Status',
              show: ({ status, refusals }) => (
                <span className="flex flex-wrap gap-1.5">
                  <Badge tone={keyStates[status][0]}>{keyStates[status][1]}</Badge>
                  {status === 'active' && <RefusalBadge refusals={refusals} />}
                </span>
              )
            },
            { name: 'For', show: ({ scope }) => (scope === 'management' ? 'Managing keys' : 'Models') },
            { name: 'Created', show: ({ created_at: at }) => <Moment at={at} /> },
            { name: 'Last used', show: ({ last_used_at: at }) => (at === null ? 'Never' : <Moment at={at} />) },
            { name: 'Expires', show: ({ expires_at: at }) => (at === null ? 'Never' : <Moment at={at} />) },
            {
              name: 'Action',
              show: (key) =>
                key.status !== 'revoked' && (
                  <Button size="small" onClick={() => onRevoke(key)}>
                    Revoke<span className="sr-only"> {nameOfKey(key)}</span>
                  </Button>
                )
            }
          ]}
        />
      )}
    </Card>
  )
}

export function RevokeAnyKeyDialog({ target, onClose }: { readonly target: AdminKey; readonly onClose: () => void }) {
  return (
    <ActDialog
      title={`Revoke “${isolate(nameOfKey(target))}”?`}
      effects={[
        `New requests with ${shownPrefix(target)} are refused everywhere. This cannot be undone.`,
        'Its owner gets a mail with the reason, if this service has a mail server.'
      ]}
      reasonHint="The customer reads it in the mail and in their audit log."
      action="Revoke key"
      tone="danger"
      read={readNothing}
      submit={async (_, { reason }) => {
        const { mailed } = await revokeReportedKey({ id: target.id }, reason)
        return mailed ? 'Key revoked. Its owner gets a mail.' : 'Key revoked. No mail goes to its owner now.'
      }}
      onClose={onClose}
    />
  )
}

/**
 * Revokes a key. A revocation that is saved, but does not reach every gateway yet, fails as `change_pending`, so that
 * the form offers to check again.
 *
 * @throws ApiError
 */
export async function revokeReportedKey(key: ReportedKey, reason: string): Promise<AdminAnswer<'revokeKey'>> {
  try {
    return await adminCall('revokeKey', { body: { ...key, reason } })
  } catch (error) {
    if (!isCode(error, 'revocation_pending')) throw error
    throw new ApiError(error.status, 'change_pending', error.message, error.retryAfterSeconds)
  }
}
