import type { PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import { useState } from 'react'
import { countOf } from '../../../format/number.ts'
import { formatMoment } from '../../../format/time.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { nameOfPublisher } from './comparison.ts'

interface CatalogHistoryProps {
  readonly history: readonly PublishedCatalog[]
  /** The version in force. */
  readonly inForce: number
  readonly onCompare: (version: number) => Promise<void>
}

export function CatalogHistory({ history, inForce, onCompare }: CatalogHistoryProps) {
  const [busy, setBusy] = useState<number | null>(null)
  const compare = async (version: number) => {
    setBusy(version)
    await onCompare(version)
    setBusy(null)
  }
  return (
    <ol aria-label="Catalogs, newest first" className="divide-y divide-line border-t border-line">
      {history.map((catalog) => {
        const { version, published_at: at, models, plans, reason, is_kept } = catalog
        return (
          <li key={version} className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-3.5 text-sm">
            <div className="min-w-0 flex-1 basis-56">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                Version {version}
                {version === inForce && <Badge tone="accent">In force</Badge>}
              </p>
              <p className="break-words text-ink-soft">
                <time dateTime={at}>{formatMoment(new Date(at))}</time>, {nameOfPublisher(catalog)},{' '}
                {countOf(models, 'model')}, {countOf(plans, 'plan')}
              </p>
              {reason !== null && <p className="break-words text-ink-soft">Reason: {reason}</p>}
            </div>
            {version !== inForce &&
              (is_kept ? (
                <Button size="small" isBusy={busy === version} onClick={() => void compare(version)}>
                  Apply again<span className="sr-only"> version {version}</span>
                </Button>
              ) : (
                <span className="text-ink-soft">Content no longer kept</span>
              ))}
          </li>
        )
      })}
    </ol>
  )
}
