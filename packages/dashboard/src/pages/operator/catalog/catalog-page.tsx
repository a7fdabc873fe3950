import { useQuery } from '@tanstack/react-query'
import type { AdminCatalogResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import { useRef, useState } from 'react'
import { adminCall, adminRead } from '../../../api/admin.ts'
import { explain } from '../../../api/api-error.ts'
import { countOf } from '../../../format/number.ts'
import { formatMoment } from '../../../format/time.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { QueryView } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { ApplyCatalogDialog } from './apply-catalog-dialog.tsx'
import { CatalogEditor } from './catalog-editor.tsx'
import { CatalogHistory } from './catalog-history.tsx'
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
    const asked = latest.current
    const found = await adminCall('compareCatalog', { body: of })
    // The text may have changed since.
    if (asked === latest.current) setComparison({ of, found })
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
