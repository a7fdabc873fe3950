import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import type { RequestDetail } from './describe-request.ts'
import { listAttempts } from './list-attempts.ts'

/** Which providers were called, and why more than one call was made. */
export function Attempts({ request }: { readonly request: RequestDetail }) {
  const attempts = listAttempts(request)
  if (attempts.length === 0) return null
  return (
    <Card
      title="Calls to providers"
      description="After a call that failed, another one may follow, as long as no part of an answer was sent."
    >
      <ol className="list-decimal space-y-4 pl-5 text-sm">
        {attempts.map(({ number, provider, isFailure, outcome, time }) => (
          <li key={number} className="pl-1">
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <span className="font-medium">{provider}</span>
              <Badge tone={isFailure ? 'danger' : 'neutral'}>{outcome}</Badge>
            </div>
            {time !== null && <p className="mt-1 text-[0.8125rem] text-ink-soft">{time}</p>}
          </li>
        ))}
      </ol>
    </Card>
  )
}
