import { useQuery } from '@tanstack/react-query'
import type { AdminCatalogResponse, PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import { useRef, useState } from 'react'
import { adminCall, adminRead } from '../../../api/admin.ts'
import { explain } from '../../../api/api-error.ts'
import { countOf } from '../../../format/number.ts'
import { formatMoment } from '../../../format/time.ts'
import { readNothing } from '../../../forms/form.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Facts } from '../../../ui/data-table.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { QueryView } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { CatalogEditor } from './catalog-editor.tsx'
import { type Comparison, type NewCatalog, nameOfPublisher } from './comparison.ts'
import { ComparisonCard } from './comparison-card.tsx'

export function CatalogPage() {
  const query = useQuery(adminRead('getCatalog'))
  return (
    <Page {...operatorHeads['/dashboard/operator/catalog']}>
      {query.data === undefined ? (
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {() => null}
          </QueryView>
        </Card>
      ) : (
        <>
          <QueryView query={query}>{() => null}</QueryView>
          <Catalog {...query.data} />
        </>
      )}
    </Page>
  )
}

function Catalog({ catalog, yaml, missing_upstreams: missing, history }: AdminCatalogResponse) {
  const showToast = useToast()
  const [comparison, setComparison] = useState<Comparison | null>(null)
  const [isApplying, setApplying] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const latest = useRef(0)
  const forget = () => {
    latest.current++
    setComparison(null)
  }
  const compare = async (of: NewCatalog) => {
    forget()
    const attempt = latest.current
    const difference = await adminCall('compareCatalog', { body: of })
    // The text may have changed since.
    if (attempt === latest.current) setComparison({ of, difference })
  }
  const compareVersion = async (version: number) => {
    try {
      await compare({ version })
    } catch (error) {
      showToast(explain(error), 'failed')
    }
  }
  return (
    <>
      {missing.length > 0 && (
        <Banner tone="danger" title={`No gateway has ${countOf(missing.length, 'upstream')} of this catalog`}>
          Requests fail for models that no other upstream serves. Missing: {missing.join(', ')}. Add them to the
          upstreams file of the gateways, or apply another catalog.
        </Banner>
      )}
      <Card title="In force">
        <Facts
          facts={[
            ['Version', catalog.version],
            ['Since', formatMoment(new Date(catalog.published_at))],
            ['Published by', nameOfPublisher(catalog)],
            ['Content', `${countOf(catalog.models, 'model')}, ${countOf(catalog.plans, 'plan')}`],
            ...(catalog.reason === null ? [] : [['Reason', catalog.reason] as const])
          ]}
        />
      </Card>
      <Card
        title="New catalog"
        description="Edit the catalog in force, or choose a file. Nothing changes until you apply it."
      >
        {isEditing ? (
          <CatalogEditor yaml={yaml} onCompare={compare} onEdit={forget} />
        ) : (
          <Button onClick={() => setEditing(true)}>Edit the catalog</Button>
        )}
      </Card>
      {comparison !== null && <ComparisonCard comparison={comparison} onApply={() => setApplying(true)} />}
      <Card
        title="History"
        description="Newest first. To apply an old catalog again changes its prices back, too."
        isFlush
      >
        <CatalogHistory history={history} inForce={catalog.version} onCompare={compareVersion} />
      </Card>
      {isApplying && comparison !== null && (
        <ApplyCatalogDialog comparison={comparison} onDone={forget} onClose={() => setApplying(false)} />
      )}
    </>
  )
}

interface ApplyCatalogDialogProps {
  readonly comparison: Comparison
  readonly onDone: () => void
  readonly onClose: () => void
}

function ApplyCatalogDialog({ comparison: { of, difference }, onDone, onClose }: ApplyCatalogDialogProps) {
  return (
    <ActDialog
      title={'version' in of ? `Apply version ${of.version} again?` : 'Apply this catalog?'}
      effects={[
        `${countOf(difference.changes.length, 'change')} of models, prices and plans apply to new requests at every gateway.`,
        'Requests that run keep their prices.',
        ...(difference.warnings.length === 0
          ? []
          : [
              `There ${difference.warnings.length === 1 ? 'is' : 'are'} ${countOf(difference.warnings.length, 'warning')}. Read them first.`
            ])
      ]}
      action="Apply catalog"
      reasonHint="The operators’ log and the history keep it."
      read={readNothing}
      submit={async (_, why) => {
        const { catalog } = await adminCall('applyCatalog', { body: { ...of, ...why } })
        return `Catalog version ${catalog.version} is in force.`
      }}
      onDone={onDone}
      onClose={onClose}
    />
  )
}

interface CatalogHistoryProps {
  readonly history: readonly PublishedCatalog[]
  /** The version in force. */
  readonly inForce: number
  readonly onCompare: (version: number) => Promise<void>
}

function CatalogHistory({ history, inForce, onCompare }: CatalogHistoryProps) {
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
