import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { countOf } from '../../../format/number.ts'
import { isolate } from '../../../format/visible-text.ts'
import { TextField } from '../../../forms/fields.tsx'
import { readNothing } from '../../../forms/form.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { ActDialog } from '../act-dialog.tsx'
import { describeSuspension, nameOfAccount } from '../describe-account.ts'

interface SuspendDialogProps {
  readonly account: AdminAccount
  readonly isResuming: boolean
  readonly onClose: () => void
}

export function SuspendDialog({ account, isResuming, onClose }: SuspendDialogProps) {
  const { id, keys, suspended_for } = account
  const name = isolate(nameOfAccount(account))
  const others = describeSuspension(suspended_for.filter((reason) => reason !== 'operator'))
  if (isResuming) {
    return (
      <ActDialog
        title={`Resume ${name}?`}
        effects={
          others.length === 0
            ? [`Gateways accept requests with its ${countOf(keys, 'active key')} again.`]
            : ['The suspension by operators ends.', `The account stays suspended: ${others.join(' ')}`]
        }
        action="Resume account"
        read={readNothing}
        submit={async (_, { reason }) => {
          await adminCall('resumeAccount', { params: { id }, body: { reason } })
          return others.length === 0
            ? 'Account resumed. Its keys work again.'
            : 'The suspension by operators ended. The account stays suspended for another reason.'
        }}
        onClose={onClose}
      />
    )
  }
  return (
    <ActDialog
      title={`Suspend ${name}?`}
      effects={[
        `Every gateway refuses new requests with its ${countOf(keys, 'active key')}, until an operator resumes it.`,
        'Its open requests end.',
        'Its people can still sign in and read their data.',
        'Its subscription continues.'
      ]}
      reasonHint="The customer reads it in a mail, in their notices and in their audit log."
      action="Suspend account"
      tone="danger"
      read={readNothing}
      submit={async (_, { reason }) => {
        await adminCall('suspendAccount', { params: { id }, body: { reason } })
        return 'Account suspended. Every gateway refuses its keys now.'
      }}
      onClose={onClose}
    />
  )
}

/** For an account that began with `SIGNUP=approved`. */
export function ApproveDialog({ account, onClose }: Omit<SuspendDialogProps, 'isResuming'>) {
  const { id, suspended_for } = account
  const others = describeSuspension(suspended_for.filter((reason) => reason !== 'approval'))
  return (
    <ActDialog
      title={`Approve ${isolate(nameOfAccount(account))}?`}
      effects={[
        'Its owner gets a mail.',
        others.length === 0
          ? 'It can create API keys, spend and buy.'
          : `The account stays suspended: ${others.join(' ')}`
      ]}
      action="Approve account"
      read={readNothing}
      submit={async (_, { reason }) => {
        await adminCall('approveAccount', { params: { id }, body: { reason } })
        return 'Account approved.'
      }}
      onClose={onClose}
    />
  )
}

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
