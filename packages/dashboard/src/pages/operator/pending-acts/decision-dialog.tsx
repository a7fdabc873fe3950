import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { adminCall } from '../../../api/admin.ts'
import { isolate } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { nameOfAccount } from '../describe-account.ts'

export interface Decision {
  readonly act: PendingAct
  readonly isConfirming: boolean
}

const reasonHint = 'It is kept in the operators’ log.'

/** Confirms or rejects what another operator asked for. */
export function DecisionDialog({ act, isConfirming, onClose }: Decision & { readonly onClose: () => void }) {
  const { id } = act
  const name = isolate(nameOfAccount({ email: act.account_email ?? '' }))
  if (!isConfirming) {
    return (
      <ActDialog
        title="Reject it?"
        effects={[`Nothing of ${name} changes.`, 'Whoever still wants it must ask again.']}
        action="Reject"
        reasonHint={reasonHint}
        read={readNothing}
        submit={async (_, { reason }) => {
          await adminCall('rejectPendingAct', { params: { id }, body: { reason } })
          return 'Rejected. Nothing was changed.'
        }}
        onClose={onClose}
      />
    )
  }
  return (
    <ActDialog
      title="Confirm it?"
      effects={[
        act.action === 'account.adjusted'
          ? `The usage of ${name} is adjusted at once. It stays in the ledger.`
          : `The plan or the limits of ${name} change at once.`,
        `The customer reads the first reason: ${isolate(act.reason)}`
      ]}
      action="Confirm"
      reasonHint={reasonHint}
      read={readNothing}
      submit={async (_, { reason }) => {
        await adminCall('confirmPendingAct', { params: { id }, body: { reason } })
        return 'Confirmed. It is in force at every gateway.'
      }}
      onClose={onClose}
    />
  )
}
