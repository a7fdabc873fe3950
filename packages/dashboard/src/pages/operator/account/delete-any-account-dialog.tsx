import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { countOf } from '../../../format/number.ts'
import { isolate } from '../../../format/visible-text.ts'
import { TextField } from '../../../forms/fields.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { ActDialog } from '../act-dialog.tsx'
import { nameOfAccount } from '../describe-account.ts'

interface DeleteAnyAccountDialogProps {
  readonly account: AdminAccount
  readonly onDone: () => void
  readonly onClose: () => void
}

export function DeleteAnyAccountDialog({ account, onDone, onClose }: DeleteAnyAccountDialogProps) {
  const { id, email, keys } = account
  // Without an owner there is no address to type.
  const expected = email === '' ? id : email
  return (
    <ActDialog
      title={`Delete ${isolate(nameOfAccount(account))}?`}
      effects={[
        `Its ${countOf(keys, 'active key')} stop working at every gateway, and any subscription is cancelled.`,
        'Its owner is deleted and signed out. To use this address again, they have to register again.',
        'The usage records stay, without a name. This cannot be undone.'
      ]}
      action="Delete account"
      tone="danger"
      reasonHint="The operators’ log keeps it."
      read={(data) =>
        textOf(data, 'confirmation').trim().toLowerCase() === expected.toLowerCase()
          ? { ok: true, values: null }
          : { ok: false, problems: { confirmation: `This does not match the ${email === '' ? 'id' : 'address'}.` } }
      }
      submit={async (_, why) => {
        await adminCall('deleteAccount', { params: { id }, body: why })
        return 'Account deleted. Its keys are refused now.'
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        name="confirmation"
        label={email === '' ? 'Type the id of the account to confirm' : 'Type the owner’s address to confirm'}
        hint={<span className="font-mono break-all text-ink">{expected}</span>}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
      />
    </ActDialog>
  )
}
