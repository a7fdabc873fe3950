import type { AdminKey } from '@tollgate/contracts/http/admin/accounts.ts'
import { nameOfKey, shownPrefix } from '../../../format/key.ts'
import { isolate } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { revokeReportedKey } from '../revoke-reported-key.ts'

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
