import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { BudgetBars } from '../../budgets/budget-bars.tsx'
import { formatUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { nameOfKey, shownPrefix } from '../../format/visible-text.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { useAccount } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/data-table.tsx'
import { Moment } from '../../ui/moment.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/states.tsx'
import { AuditList } from '../audit/audit-list.tsx'
import { RequestsTable } from '../requests/requests-table.tsx'
import { type KeyAction, KeyActions, KeyBadges, Metadata, managementPurpose, OldValue } from './key-cells.tsx'
import { KeyUsage } from './key-usage.tsx'
import { KeyRefusals } from './refusals.tsx'

const EditKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'EditKeyDialog')
const EndOldValueDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'EndOldValueDialog')
const PauseKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'PauseKeyDialog')
const RevokeKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'RevokeKeyDialog')
const RotateKeyDialog = lazyDialog(() => import('./rotate-key-dialog.tsx'), 'RotateKeyDialog')

type ShownKey = Answer<'getKey'>['key']

const shownRequests = '10'
const shownChanges = '10'

/** A key: its spend, its limits, its latest requests, and who changed it. */
export function KeyPage() {
  const { id } = useParams({ from: '/dashboard/keys/$id' })
  const query = useQuery(read('getKey', { params: { id } }))
  const { role } = useAccount()
  const key = query.data?.key
  const [open, setOpen] = useState<KeyAction | null>(null)
  const close = () => setOpen(null)
  return (
    <Page
      title={key === undefined ? 'Key' : nameOfKey(key)}
      description={<BackLink to="/dashboard/keys">Keys</BackLink>}
      isWaiting={query.isPending}
      actions={key === undefined ? undefined : <KeyActions listed={key} onAction={setOpen} />}
    >
      {isCode(query.error, 'not_found') ? (
        <Banner title="There is no such key">
          It may belong to another account, or it was revoked more than 30 days ago.
        </Banner>
      ) : (
        <>
          {key !== undefined && key.refusals.length > 0 && (
            <Card title="Refuses requests">
              <KeyRefusals shown={key} onEdit={key.can_change ? () => setOpen('edit') : undefined} />
            </Card>
          )}
          {key?.scope !== 'management' && (
            <Card title="Spend">
              <QueryView query={query} lines={3}>
                {({ key }) => <Spend shown={key} />}
              </QueryView>
            </Card>
          )}
          <Card title="Settings">
            <QueryView query={query} lines={6}>
              {({ key }) => <Settings shown={key} />}
            </QueryView>
          </Card>
          {key?.scope !== 'management' && <KeyUsage id={id} />}
          {key?.scope !== 'management' && <LatestRequests id={id} />}
          {role === 'owner' && <Changes id={id} />}
        </>
      )}
      {open === 'edit' && key !== undefined && <EditKeyDialog target={key} onClose={close} />}
      {open === 'rotate' && key !== undefined && <RotateKeyDialog target={key} onClose={close} />}
      {open === 'end-old-value' && key !== undefined && <EndOldValueDialog target={key} onClose={close} />}
      {open === 'pause' && key !== undefined && <PauseKeyDialog target={key} onClose={close} />}
      {open === 'revoke' && key !== undefined && <RevokeKeyDialog target={key} onClose={close} />}
    </Page>
  )
}

function Spend({ shown }: { readonly shown: ShownKey }) {
  const { spent_usd: spent, budgets } = shown
  return (
    <div className="space-y-5">
      <p className="text-2xl font-semibold tabular-nums">
        {formatUsd(spent)}
        <span className="text-base font-normal text-ink-soft">
          {' this month'}
          {budgets.length === 0 && ', without a budget of its own'}
        </span>
      </p>
      {budgets.length > 0 && <BudgetBars budgets={budgets} />}
    </div>
  )
}

function Settings({ shown }: { readonly shown: ShownKey }) {
  const { models, addresses, requests_per_minute: rate, thresholds, on_exhausted: onExhausted } = shown
  const { tokens_per_minute: tokens, concurrent_requests: concurrent } = shown
  return (
    <div className="space-y-4">
      <CopyableId of="Key" id={shown.id} />
      <Facts
        facts={[
          [
            'State',
            <span key="state" className="flex flex-wrap items-center gap-1.5">
              {shown.status === 'active' && !shown.paused && shown.refusals.length === 0 && 'Active'}
              <KeyBadges listed={shown} />
            </span>
          ],
          [
            'First characters',
            <code key="prefix" className="font-mono">
              {shownPrefix(shown)}
            </code>
          ],
          ['Created by', shown.creator ?? 'A management key, or a person who left'],
          ['Created', <Moment key="created" at={shown.created} />],
          ['Last used', shown.last_used === null ? 'Never' : <Moment key="used" at={shown.last_used} />],
          ['Expires', shown.expires_at === null ? 'Never' : <Moment key="expires" at={shown.expires_at} />],
          ['IP addresses', addresses === null ? 'Everywhere' : addresses.join(', ')],
          ...(shown.scope === 'management'
            ? [['Purpose', managementPurpose] as const]
            : [
                ['Rate limit', rate === null ? 'Plan default' : `${formatCount(rate)} requests/min`] as const,
                ...(tokens === null ? [] : [['Token limit', `${formatCount(tokens)} tokens/min`] as const]),
                ...(concurrent === null ? [] : [['Concurrent requests', formatCount(concurrent)] as const]),
                ...(onExhausted === null ? [] : [['When a budget is used up', `Use ${onExhausted.model}`] as const]),
                ['Models', models === null ? 'All models in the plan' : models.join(', ')] as const,
                ['Warnings', describeThresholds(thresholds)] as const
              ])
        ]}
      />
      <OldValue listed={shown} />
      <Metadata pairs={shown.metadata} />
    </div>
  )
}

function describeThresholds(thresholds: readonly number[] | null): string {
  if (thresholds === null) return 'As set for the account'
  return thresholds.length === 0 ? 'None' : `At ${thresholds.map((percent) => `${percent} %`).join(', ')} of the budget`
}

function LatestRequests({ id }: { readonly id: string }) {
  const query = useQuery(read('listRequests', { query: { key: id, limit: shownRequests } }))
  return (
    <Card
      title="Latest requests"
      isFlush
      actions={
        <Link to="/dashboard/requests" search={{ key: id }} className={`text-sm ${textLink}`}>
          All requests of this key
        </Link>
      }
    >
      <QueryView query={query} lines={8}>
        {({ requests }) =>
          requests.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-ink-soft">Requests with this key will appear here.</p>
          ) : (
            <RequestsTable requests={requests} receipts="/dashboard/requests" hasProviders={false} />
          )
        }
      </QueryView>
    </Card>
  )
}

/** Who made, changed, rotated or revoked the key. Only the owner may read the audit log. */
function Changes({ id }: { readonly id: string }) {
  const query = useQuery(read('listAudit', { query: { subject: id, limit: shownChanges } }))
  return (
    <Card
      title="Changes"
      isFlush
      actions={
        <Link to="/dashboard/audit" search={{ subject: id }} className={`text-sm ${textLink}`}>
          All changes of this key
        </Link>
      }
    >
      <QueryView query={query} lines={4}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-ink-soft">Changes of this key will appear here.</p>
          ) : (
            <AuditList entries={entries} />
          )
        }
      </QueryView>
    </Card>
  )
}
