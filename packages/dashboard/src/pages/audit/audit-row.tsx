import type { ReactNode } from 'react'
import { formatMoment } from '../../format/time.ts'
import { type AuditEntry, describeActor, describeDetail, describeRest, describeSentence } from './describe-entry.ts'

interface AuditRowProps {
  readonly entry: AuditEntry
  /** What was done, in words. */
  readonly action: string
  /** More about it, below the action. */
  readonly children?: ReactNode
  /** Who did it. Without it, the address of the actor. */
  readonly actor?: ReactNode
}

/** An entry of an audit log: when, who did what, from where. A sentence replaces action and actor where the entry has names. */
export function AuditRow({ entry, action, children, actor = describeActor(entry) }: AuditRowProps) {
  const sentence = children === undefined ? describeSentence(entry) : null
  const detail = sentence === null ? describeDetail(entry) : describeRest(entry)
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 px-5 py-3.5 text-sm md:grid-cols-[11rem_minmax(0,1fr)_minmax(0,14rem)]">
      <time dateTime={entry.at} className="text-ink-soft tabular-nums">
        {formatMoment(new Date(entry.at))}
      </time>
      <div className="min-w-0">
        <p className="font-medium break-words">{sentence ?? action}</p>
        {children}
        {detail.length > 0 && (
          <dl className="mt-0.5 flex flex-wrap gap-x-4 text-[0.8125rem] text-ink-soft">
            {detail.map(([name, value]) => (
              <div key={name} className="flex min-w-0 gap-1.5">
                <dt className="shrink-0">{name}:</dt>
                <dd className="min-w-0 break-all">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <div className="min-w-0 text-ink-soft md:text-right">
        {sentence === null && <p className="break-words">{actor}</p>}
        {entry.ip !== null && <p className="font-mono text-xs break-all">{entry.ip}</p>}
      </div>
    </li>
  )
}
