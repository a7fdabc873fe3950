import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { useState } from 'react'
import { adminRead } from '../../../api/admin.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button, buttonLook } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { Facts } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryView } from '../../../ui/states.tsx'
import { AuditList } from '../../audit/audit-list.tsx'
import { describeSuspension, nameOfAccount, stateOfAccount, waitsForApproval } from '../describe-account.ts'
import { AdjustmentsCard, AdjustUsageDialog } from './adjustments-card.tsx'
import { BillingCard, SpendOfAccountCard } from './billing-card.tsx'
import { KeysCard, RevokeAnyKeyDialog } from './keys-card.tsx'
import { LimitsCard, OwnLimitsDialog } from './limits-card.tsx'
import { PeopleCard, SignOutPeopleDialog } from './people-card.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import { ApproveDialog, DeleteAnyAccountDialog, SuspendDialog } from './suspend-dialog.tsx'

/** What the operator has chosen to do. */
type Act =
  | { readonly name: 'suspend' | 'resume' | 'approve' | 'signOut' | 'plan' | 'limits' | 'adjust' | 'delete' }
  | { readonly name: 'revoke'; readonly key: AdminAccount['key_list'][number] }

/** Any account, for operators. */
export function AnyAccountPage() {
  const { id } = useParams({ from: '/dashboard/operator/accounts/$id' })
  const query = useQuery(adminRead('getAccount', { params: { id } }))
  const account = query.data?.account
  const isWaiting = account !== undefined && waitsForApproval(account.suspended_for)
  const [act, setAct] = useState<Act | null>(null)
  const start = (name: Exclude<Act['name'], 'revoke'>) => () => setAct({ name })
  return (
    <Page
      title={account === undefined ? 'Account details' : nameOfAccount(account)}
      description={<code className="font-mono text-[0.8125rem] break-all">{id}</code>}
      actions={
        <>
          <Link to="/dashboard/operator/accounts/$id/requests" params={{ id }} className={buttonLook()}>
            Requests
          </Link>
          {isWaiting && (
            <Button tone="primary" onClick={start('approve')}>
              Approve account
            </Button>
          )}
          {account !== undefined &&
            (account.suspended_for.includes('operator') ? (
              <Button tone="primary" onClick={start('resume')}>
                Resume account
              </Button>
            ) : (
              <Button tone="danger" onClick={start('suspend')}>
                Suspend account
              </Button>
            ))}
        </>
      }
    >
      {account === undefined ? (
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {() => null}
          </QueryView>
        </Card>
      ) : (
        <>
          <QueryView query={query}>{() => null}</QueryView>
          <AccountState account={account} />
          <div className="grid grid-cols-1 items-stretch gap-6 xl:grid-cols-2">
            <FactsCard account={account} />
            <SpendOfAccountCard account={account} />
          </div>
          <LimitsCard account={account} onChangePlan={start('plan')} onChangeLimits={start('limits')} />
          <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
            <PeopleCard account={account} onSignOut={start('signOut')} />
            <BillingCard account={account} />
          </div>
          <KeysCard account={account} onRevoke={(key) => setAct({ name: 'revoke', key })} />
          <AdjustmentsCard account={account} onAdjust={start('adjust')} />
          <AuditCard account={account} />
          <Card
            title="Delete account"
            description="Revokes its keys, cancels its subscription and deletes its owner. This cannot be undone."
          >
            <Button tone="danger" onClick={start('delete')}>
              Delete account
            </Button>
          </Card>
          {act !== null && <ActDialogs account={account} act={act} onClose={() => setAct(null)} />}
        </>
      )}
    </Page>
  )
}

interface ActDialogsProps {
  readonly account: AdminAccount
  readonly act: Act
  readonly onClose: () => void
}

function ActDialogs({ account, act, onClose }: ActDialogsProps) {
  const navigate = useNavigate()
  switch (act.name) {
    case 'suspend':
    case 'resume':
      return <SuspendDialog account={account} isResuming={act.name === 'resume'} onClose={onClose} />
    case 'approve':
      return <ApproveDialog account={account} onClose={onClose} />
    case 'signOut':
      return <SignOutPeopleDialog account={account} onClose={onClose} />
    case 'plan':
      return <PlanDialog account={account} onClose={onClose} />
    case 'limits':
      return <OwnLimitsDialog account={account} onClose={onClose} />
    case 'adjust':
      return <AdjustUsageDialog account={account} onClose={onClose} />
    case 'revoke':
      return <RevokeAnyKeyDialog target={act.key} onClose={onClose} />
    case 'delete':
      return (
        <DeleteAnyAccountDialog
          account={account}
          onDone={() => void navigate({ to: '/dashboard/operator/accounts' })}
          onClose={onClose}
        />
      )
  }
}

/** Says why the account is suspended, or that a payment failed. */
function AccountState({ account }: { readonly account: AdminAccount }) {
  const state = stateOfAccount(account)
  return (
    <>
      {state !== null && (
        <Banner tone={state[0] === 'neutral' ? 'info' : state[0]} title={state[2]}>
          {describeSuspension(account.suspended_for).join(' ')} Gateways refuse requests with its keys.{' '}
          {account.team !== null && (
            <Link to="/dashboard/operator/accounts/$id" params={{ id: account.team.account_id }} className={textLink}>
              Open the team’s account
            </Link>
          )}
        </Banner>
      )}
      {account.past_due && (
        <Banner tone="warning" title="The last payment failed">
          The payment provider tries it again.
        </Banner>
      )}
    </>
  )
}

function FactsCard({ account }: { readonly account: AdminAccount }) {
  return (
    <Card title="Account">
      <Facts
        facts={[
          ['Owner', account.name === '' ? nameOfAccount(account) : account.name],
          ['Status', stateOfAccount(account)?.[1] ?? 'Active'],
          ['Plan', account.plan],
          ['People', account.people],
          ['Active keys', account.keys],
          ['Created', <Moment key="created" at={account.created_at} />]
        ]}
      />
    </Card>
  )
}

/** The newest entries of the account's own audit log. */
function AuditCard({ account }: { readonly account: AdminAccount }) {
  return (
    <Card
      isFlush
      title="Audit log of the account"
      actions={
        <Link to="/dashboard/operator/log" search={{ account_id: account.id }} className={buttonLook()}>
          Only acts of operators
        </Link>
      }
    >
      {account.audit.length === 0 ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">No entries yet.</p>
      ) : (
        <div className="border-t border-line">
          <AuditList entries={account.audit} />
        </div>
      )}
    </Card>
  )
}
