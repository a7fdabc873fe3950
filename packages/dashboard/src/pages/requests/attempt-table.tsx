import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import type { RequestDetail } from './describe-request.ts'
import { type ListedAttempt, listAttempts } from './list-attempts.ts'

const columns: ReadonlyArray<Column<ListedAttempt>> = [
  { name: 'Call', isNumber: true, show: ({ number }) => number },
  { name: 'Provider', show: ({ provider }) => provider },
  {
    name: 'Outcome',
    show: ({ isFailure, outcome }) => <Badge tone={isFailure ? 'danger' : 'neutral'}>{outcome}</Badge>
  },
  { name: 'Time', show: ({ time }) => time }
]

/** Which providers were called, and why more than one call was made. */
export function AttemptTable({ request }: { readonly request: RequestDetail }) {
  const attempts = listAttempts(request)
  if (attempts.length === 0) return null
  return (
    <Card
      title="Calls to providers"
      description="After a call that failed, another one may follow, as long as no part of an answer was sent. A call that failed before its answer began costs nothing."
      isFlush
    >
      <DataTable label="Calls to providers" columns={columns} rows={attempts} keyOf={({ number }) => String(number)} />
    </Card>
  )
}
