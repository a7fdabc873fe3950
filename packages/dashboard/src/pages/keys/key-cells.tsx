import { Link } from '@tanstack/react-router'
import { now } from '../../api/clock.ts'
import { formatUsd } from '../../format/money.ts'
import { countOf, formatCompact, formatCount } from '../../format/number.ts'
import { nameOfKey, shownPrefix } from '../../format/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Meter } from '../../ui/meter.tsx'
import { Moment } from '../../ui/moment.tsx'
import { oldValueUntil } from './describe-key.ts'
import type { KeyColumn } from './key-table.tsx'
import { type Key, moreBudgetsOf } from './read-key-form.ts'
import { RefusalBadge } from './refusals.tsx'

export type KeyAction = 'edit' | 'rotate' | 'pause' | 'revoke' | 'end-old-value'
type OnAction = (action: KeyAction, key: Key) => void

/** What a management key does, in place of its spend and limits. */
export const managementPurpose = 'Manages keys, calls no models'

/** The columns of the table of keys. */
export const keyColumns = (onAction: OnAction): ReadonlyArray<KeyColumn<Key>> => [
  { name: 'Key', cell: (key) => <NameCell listed={key} />, sortable: { order: 'label', isDescending: false } },
  {
    name: 'This month',
    cell: (key) => <SpendCell listed={key} />,
    sortable: { order: 'spend', isDescending: true }
  },
  {
    name: 'Created by',
    cell: ({ creator }) => <span className="block min-w-24 wrap-anywhere">{creator ?? '–'}</span>
  },
  {
    name: 'Last used',
    cell: ({ last_used }) => (
      <span className="whitespace-nowrap">{last_used === null ? 'Never' : <Moment at={last_used} />}</span>
    ),
    sortable: { order: 'last_used', isDescending: true }
  },
  {
    name: 'Created',
    cell: ({ created }) => (
      <span className="whitespace-nowrap">
        <Moment at={created} />
      </span>
    ),
    sortable: { order: 'newest', isDescending: true }
  },
  { name: 'Actions', cell: (key) => <KeyActions listed={key} onAction={onAction} /> }
]

/** The state of a key as badges; nothing for an active key for inference. */
export function KeyBadges({
  listed
}: {
  readonly listed: Pick<Key, 'scope' | 'status' | 'paused' | 'expires_at' | 'refusals'>
}) {
  const isLive = listed.status === 'active'
  const isExpired = listed.expires_at !== null && new Date(listed.expires_at) <= now()
  return (
    <>
      {listed.scope === 'management' && <Badge tone="accent">Management</Badge>}
      {!isLive && <Badge>Revoked</Badge>}
      {isLive && listed.paused && <Badge tone="warning">Paused</Badge>}
      {isLive && isExpired && <Badge tone="warning">Expired</Badge>}
      {isLive && <RefusalBadge refusals={listed.refusals} />}
    </>
  )
}

function NameCell({ listed }: { readonly listed: Key }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 font-medium wrap-anywhere">
          <Link to="/dashboard/keys/$id" params={{ id: listed.id }} className={textLink}>
            {nameOfKey(listed)}
          </Link>
        </h2>
        <KeyBadges listed={listed} />
      </div>
      <p className="mt-0.5 font-mono text-[0.8125rem] text-ink-soft">{shownPrefix(listed)}</p>
      <Metadata pairs={listed.metadata} />
      <OldValue listed={listed} />
    </>
  )
}

/** Says until when the value before the last rotation still works; nothing if it does not. */
export function OldValue({ listed }: { readonly listed: Key }) {
  const until = oldValueUntil(listed, now())
  if (until === null) return null
  return (
    <p className="mt-1.5 text-[0.8125rem] text-warning">
      The old value still works. It ends <Moment at={until} />.
    </p>
  )
}

function SpendCell({ listed }: { readonly listed: Key }) {
  if (listed.scope === 'management') return <p className="min-w-32 text-ink-soft">{managementPurpose}</p>
  const limits = describeLimits(listed)
  return (
    <div className="min-w-32 space-y-1.5">
      <p className="tabular-nums">{formatUsd(listed.spent_usd ?? '0')}</p>
      <KeyMeter listed={listed} />
      <p className="text-[0.8125rem] text-ink-soft">{limits}</p>
    </div>
  )
}

/** The spend of a key against its own budget; nothing without one. */
export function KeyMeter({ listed }: { readonly listed: Pick<Key, 'spent_usd' | 'monthly_budget_usd' | 'label'> }) {
  const { spent_usd: spent = '0', monthly_budget_usd: budget } = listed
  if (budget === null) return null
  return (
    <Meter
      label={`Spend of ${listed.label}`}
      description={`${formatUsd(spent)} of ${formatUsd(budget)}`}
      used={Number(spent)}
      reserved={0}
      limit={budget}
    />
  )
}

/** Buttons for what the reader may do with the key. */
export function KeyActions({ listed, onAction }: { readonly listed: Key; readonly onAction: OnAction }) {
  if (listed.status !== 'active' || !listed.can_change) return null
  const action = (name: KeyAction, text: string) => (
    <Button size="small" tone={name === 'revoke' ? 'quiet' : 'plain'} onClick={() => onAction(name, listed)}>
      {text}
      <span className="sr-only"> {nameOfKey(listed)}</span>
    </Button>
  )
  return (
    <div className="flex min-w-38 flex-wrap gap-2">
      {action('edit', 'Edit')}
      {action('rotate', 'Rotate')}
      {action('pause', listed.paused ? 'Resume' : 'Pause')}
      {action('revoke', 'Revoke')}
      {oldValueUntil(listed, now()) !== null && action('end-old-value', 'End old value')}
    </div>
  )
}

/** The limits of a key in a few words. */
export function describeLimits(key: Key): string {
  const { monthly_budget_usd: budget, requests_per_minute: rate, models, addresses } = key
  const { tokens_per_minute: tokens, concurrent_requests: concurrent } = key
  const more = moreBudgetsOf(key).length
  const parts = [
    budget === null ? null : `${formatUsd(budget)}/month`,
    more === 0 ? null : countOf(more, budget === null ? 'budget' : 'more budget'),
    rate === null ? null : `${formatCount(rate)}/min`,
    tokens === null ? null : `${formatCompact(tokens)} tokens/min`,
    concurrent === null ? null : `${formatCount(concurrent)} at once`,
    models === null ? null : countOf(models.length, 'model'),
    addresses === null ? null : countOf(addresses.length, 'IP address', 'IP addresses')
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'Plan defaults' : parts.join(', ')
}

export function Metadata({ pairs }: { readonly pairs: Readonly<Record<string, string>> }) {
  const entries = Object.entries(pairs)
  if (entries.length === 0) return null
  return (
    <ul aria-label="Metadata" className="mt-1.5 flex flex-wrap gap-1">
      {entries.map(([name, value]) => (
        <li key={name} className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs break-all text-ink-soft">
          {name}=<bdi>{value}</bdi>
        </li>
      ))}
    </ul>
  )
}
