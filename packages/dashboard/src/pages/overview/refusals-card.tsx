import { Link } from '@tanstack/react-router'
import type { Answer } from '../../api/call.ts'
import { nameOfKey } from '../../format/key.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/text-link.ts'
import { isOfKey, PlansLink, Refusal } from '../keys/refusals.tsx'

const maxShown = 3

/** The keys that refuse requests now, and what helps. Nothing without any. */
export function RefusalsCard({ open, keys }: Pick<Answer<'getUsageRefusals'>, 'open' | 'keys'>) {
  if (open.length === 0) return null
  const more = open.length - maxShown
  return (
    <Card title="Refused requests" isFlush>
      <ul aria-label="Keys that refuse requests" className="divide-y divide-line">
        {open.slice(0, maxShown).map((refusal) => {
          const params = { id: refusal.key_id }
          const key = keys.find(({ id }) => id === refusal.key_id)
          const link = (text: string) => (
            <Link to="/dashboard/keys/$id" params={params} className={textLink}>
              {text}
            </Link>
          )
          return (
            <li key={`${refusal.key_id} ${refusal.code}`} className="px-5 py-3">
              <Refusal
                refusal={refusal}
                subject={key === undefined ? 'A deleted key' : link(nameOfKey({ ...key, scope: 'inference' }))}
                action={isOfKey(refusal) ? link('Change the key') : <PlansLink refusal={refusal} />}
              />
            </li>
          )
        })}
      </ul>
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-sm">
          <Link to="/dashboard/keys" className={textLink}>
            See all keys
          </Link>
        </p>
      )}
    </Card>
  )
}
