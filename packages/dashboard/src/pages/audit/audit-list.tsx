import { AuditRow } from './audit-row.tsx'
import { type AuditEntry, describeRest, describeSentence } from './describe-entry.ts'

/** Entries of an account's audit log, at the bottom of a flush card. */
export function AuditList({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <ol aria-label="Entries, newest first" className="divide-y divide-line">
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} sentence={describeSentence(entry)} details={describeRest(entry)} />
      ))}
    </ol>
  )
}
