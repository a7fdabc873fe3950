import type { AdminKey } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { isolate } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { nameOfKey, shownPrefix } from '../../keys/describe-key.ts'
import { ActDialog } from '../act-dialog.tsx'

export function RevokeAnyKeyDialog({ target, onClose }: { readonly target: AdminKey; readonly onClose: () => void }) {
  return (
    <ActDialog
      title={`Revoke “${isolate(nameOfKey(target))}”?`}
      effects={[
        `New requests with ${shownPrefix(target)} are refused everywhere. This cannot be undone.`,
        'Tollgate mails the owner of the account.'
      ]}
      action="Revoke key"
      tone="danger"
      read={readNothing}
      submit={async (_, { reason }) => {
        const { mailed } = await adminCall('revokeKey', { body: { id: target.id, reason } })
        return mailed ? 'Key revoked. Its owner gets a mail.' : 'Key revoked. Its owner gets no mail.'
      }}
      onClose={onClose}
    />
  )
}
