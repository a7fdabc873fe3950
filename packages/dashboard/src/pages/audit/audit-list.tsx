import { Link } from '@tanstack/react-router'
import { textLink } from '../../ui/text-link.ts'
import { AuditRow } from './audit-row.tsx'
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
