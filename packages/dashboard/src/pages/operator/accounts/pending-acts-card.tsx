import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { useState } from 'react'
import { adminCall, adminRead } from '../../../api/admin.ts'
import { formatMoment } from '../../../format/time.ts'
import { isolate } from '../../../format/visible-text.ts'
import { readNothing } from '../../../forms/form.tsx'
import { useUser } from '../../../layout/owner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { describeDetail } from '../../audit/describe-entry.ts'
import { ActDialog } from '../act-dialog.tsx'
import { nameOfAccount } from '../describe-account.ts'

interface Decision {
  readonly act: PendingAct
  readonly isConfirming: boolean
}

/** Confirms or rejects what another operator asked for. */
function DecisionDialog({ act, isConfirming, onClose }: Decision & { readonly onClose: () => void }) {
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

/** What waits for a second operator. Shows nothing if nothing does. */
export function PendingActsCard() {
  const { data } = useQuery(adminRead('listPendingActs'))
  const [decision, setDecision] = useState<Decision | null>(null)
  if (data === undefined || data.pending.length === 0) return null
  return (
    <Card
      isFlush
      title="Waits for a second operator"
      description="Nothing of this is done before another operator confirms it."
    >
      <ul aria-label="Waits for a second operator" className="divide-y divide-line border-t border-line">
        {data.pending.map((act) => (
          <Pending key={act.id} act={act} onDecide={setDecision} />
        ))}
      </ul>
      {decision !== null && <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </Card>
  )
}

interface PendingProps {
  readonly act: PendingAct
  readonly onDecide: (decision: Decision) => void
}

function Pending({ act, onDecide }: PendingProps) {
  const user = useUser()
  const name = nameOfAccount({ email: act.account_email ?? '' })
  const isOwn = act.asked_by === user.id
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-5 py-4 text-sm">
      <div className="min-w-0">
        <p className="font-medium">
          {act.action === 'account.adjusted' ? 'Adjust the usage of ' : 'Change the plan or the limits of '}
          <Link
            to="/dashboard/operator/accounts/$id"
            params={{ id: act.account_id }}
            className={`min-w-0 break-all ${textLink}`}
          >
            {name}
          </Link>
        </p>
        <p className="mt-0.5 break-words">
          {describeDetail({ detail: act.detail, subject: null })
            .map(([member, value]) => `${member.charAt(0).toUpperCase()}${member.slice(1)}: ${value}`)
            .join(' · ')}
        </p>
        <p className="mt-0.5 break-words text-ink-soft">
          {isOwn ? 'You' : (act.asked_by_email ?? 'A deleted user')} asked on {formatMoment(new Date(act.asked_at))}. If
          nobody decides, it lapses on {formatMoment(new Date(act.ends_at))}.
        </p>
        <p className="mt-0.5 break-words">Reason: {isolate(act.reason)}</p>
      </div>
      {isOwn ? (
        <p className="text-ink-soft">Another operator must decide.</p>
      ) : (
        <div className="flex gap-2">
          <Button onClick={() => onDecide({ act, isConfirming: true })}>
            Confirm<span className="sr-only">, {name}</span>
          </Button>
          <Button onClick={() => onDecide({ act, isConfirming: false })}>
            Reject<span className="sr-only">, {name}</span>
          </Button>
        </div>
      )}
    </li>
  )
}
