import type { Answer } from '../../api/call.ts'
import { Badge } from '../../ui/badge.tsx'

type OpenRefusal = Answer<'getUsageRefusals'>['open'][number]

const reasons: Readonly<Record<OpenRefusal['reason'], string>> = {
  budget: 'budget',
  rate: 'rate limit',
  model: 'model',
  paused: 'paused',
  suspended: 'account suspended',
  other: 'not allowed'
}

/** Says for which reasons a key refuses requests; nothing for none. A badge says elsewhere that it is paused. */
export function RefusalBadge({ refusals }: { readonly refusals: ReadonlyArray<Pick<OpenRefusal, 'reason'>> }) {
  const found = [...new Set(refusals.flatMap(({ reason }) => (reason === 'paused' ? [] : [reasons[reason]])))]
  if (found.length === 0) return null
  return (
    <Badge tone="danger" mayWrap>
      Refuses requests: {found.join(', ')}
    </Badge>
  )
}
