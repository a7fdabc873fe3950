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

/** Confirms or rejects what another operator asked for. */
export function DecisionDialog({ act, isConfirming, onClose }: Decision & { readonly onClose: () => void }) {
  const { title, effects, action, operation, told } = (isConfirming ? confirming : rejecting)(act)
  return (
    <ActDialog
      title={title}
      effects={effects}
      action={action}
      reasonHint="It is kept in the operators’ log."
      read={readNothing}
      submit={async (_, { reason }) => {
        await adminCall(operation, { params: { id: act.id }, body: { reason } })
        return told
      }}
      onClose={onClose}
    />
  )
}

function confirming(act: PendingAct) {
  const name = customerOf(act)
  return {
    title: 'Confirm it?',
    effects: [
      act.action === 'account.adjusted'
        ? `The usage of ${name} is adjusted at once. It stays in the ledger.`
        : `The plan or the limits of ${name} change at once.`,
      `The customer reads the first reason: ${isolate(act.reason)}`
    ],
    action: 'Confirm',
    operation: 'confirmPendingAct',
    told: 'Confirmed. It is in force at every gateway.'
  } as const
}

function rejecting(act: PendingAct) {
  return {
    title: 'Reject it?',
    effects: [`Nothing of ${customerOf(act)} changes.`, 'Whoever still wants it must ask again.'],
    action: 'Reject',
    operation: 'rejectPendingAct',
    told: 'Rejected. Nothing was changed.'
  } as const
}

const customerOf = (act: PendingAct): string => isolate(nameOfAccount({ email: act.account_email ?? '' }))
