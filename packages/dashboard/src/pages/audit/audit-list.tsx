import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatMoment } from '../../format/time.ts'
import { textLink } from '../../ui/class-names.ts'
import { type AuditEntry, describeRest, describeSentence, type Part } from './describe-entry.ts'

/** Entries of an account's audit log, at the bottom of a flush card. */
export function AuditList({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <ol aria-label="Entries, newest first" className="divide-y divide-line">
      {entries.map((entry) => (
        <AuditRow
          key={entry.id}
          entry={entry}
          sentence={<Text parts={describeSentence(entry)} />}
          details={describeRest(entry).map(([name, value]) => [name, <Text key={name} parts={[value]} />])}
        />
      ))}
    </ol>
  )
}

const Text = ({ parts }: { readonly parts: readonly Part[] }) =>
  parts.map(({ text, to }) =>
    to === undefined ? (
      text
    ) : (
      <Link key={to} to={to} className={textLink}>
        {text}
      </Link>
    )
  )

interface AuditRowProps {
  readonly entry: Pick<AuditEntry, 'at' | 'ip'>
  /** Who did what. */
  readonly sentence: ReactNode
  /** More facts. */
  readonly details: ReadonlyArray<readonly [name: string, value: ReactNode]>
  /** More about it, below the sentence. */
  readonly children?: ReactNode
}

/** An entry of an audit log: when, who did what, from where. */
export function AuditRow({ entry, sentence, details, children }: AuditRowProps) {
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 px-5 py-3.5 text-sm md:grid-cols-[11rem_minmax(0,1fr)_minmax(0,9rem)]">
      <time dateTime={entry.at} className="text-ink-soft tabular-nums">
        {formatMoment(new Date(entry.at))}
      </time>
      <div className="min-w-0">
        <p className="font-medium break-words">{sentence}</p>
        {children}
        {details.length > 0 && (
          <dl className="mt-0.5 flex flex-wrap gap-x-4 text-[0.8125rem] text-ink-soft">
            {details.map(([name, value]) => (
              <div key={name} className="flex min-w-0 gap-1.5">
                <dt className="shrink-0">{name}:</dt>
                <dd className="min-w-0 wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {entry.ip !== null && (
        <p className="min-w-0 font-mono text-xs break-all text-ink-soft md:text-right">{entry.ip}</p>
      )}
    </li>
  )
}
