import type { ReactNode } from 'react'
import { nameOfKey, shownPrefix } from '../../format/key.ts'
import { formatUsd } from '../../format/money.ts'
import { countOf, formatCount } from '../../format/number.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { oldValueUntil } from './old-value.ts'
import type { Key } from './read-key-form.ts'

export type KeyAction = 'edit' | 'rotate' | 'revoke' | 'end-old-value'

interface KeyRowProps {
  readonly listed: Key
  readonly now: Date
  readonly onAction: (action: KeyAction, key: Key) => void
}

export function KeyRow({ listed, now, onAction }: KeyRowProps) {
  const isExpired = listed.expires_at !== null && new Date(listed.expires_at) <= now
  const isLive = listed.status === 'active'
  const oldUntil = oldValueUntil(listed, now)
  const action = (name: KeyAction, text: string) => (
    <Button size="small" tone={name === 'revoke' ? 'quiet' : 'plain'} onClick={() => onAction(name, listed)}>
      {text}
      <span className="sr-only"> {nameOfKey(listed)}</span>
    </Button>
  )
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-3 px-5 py-4 lg:grid-cols-[minmax(0,1.3fr)_minmax(0,2fr)_auto] lg:items-center">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 font-medium break-words">{nameOfKey(listed)}</h2>
          {listed.scope === 'management' && <Badge tone="accent">Management</Badge>}
          {!isLive && <Badge>Revoked</Badge>}
          {isLive && isExpired && <Badge tone="warning">Expired</Badge>}
        </div>
        <p className="mt-0.5 font-mono text-[0.8125rem] text-ink-soft">{shownPrefix(listed)}</p>
        <Metadata pairs={listed.metadata} />
        {oldUntil !== null && (
          <p className="mt-1.5 text-[0.8125rem] text-warning">
            The old value still works. It ends <Moment at={oldUntil} />.
          </p>
        )}
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:grid-cols-4">
        <Fact name="Last used">{listed.last_used === null ? 'Never' : <Moment at={listed.last_used} />}</Fact>
        <Fact name="Created">
          <Moment at={listed.created} />
        </Fact>
        <Fact name="Limits">{describeLimits(listed)}</Fact>
        <Fact name="Expires">{listed.expires_at === null ? 'Never' : <Moment at={listed.expires_at} />}</Fact>
      </dl>
      {isLive && listed.can_change && (
        <div className="flex flex-wrap gap-2">
          {action('edit', 'Edit')}
          {action('rotate', 'Rotate')}
          {action('revoke', 'Revoke')}
          {oldUntil !== null && action('end-old-value', 'End old value')}
        </div>
      )}
    </li>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  )
}

function describeLimits({ monthly_budget_usd: budget, requests_per_minute: rate, models }: Key): string {
  const parts = [
    budget === null ? null : `${formatUsd(budget)}/month`,
    rate === null ? null : `${formatCount(rate)}/min`,
    models === null ? null : countOf(models.length, 'model')
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'Plan defaults' : parts.join(', ')
}

function Metadata({ pairs }: { readonly pairs: Readonly<Record<string, string>> }) {
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
