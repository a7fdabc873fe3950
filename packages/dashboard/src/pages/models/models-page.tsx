import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Box } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Choice } from '../../ui/select-box.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { ModelRow } from './model-row.tsx'
import { findModels, orderOptions, type Shown, shownOptions, sortModels } from './models.ts'

/** The models of the plan and of plans on sale, with their prices. */
export function ModelsPage() {
  const { q = '', show, sort = '' } = useSearch({ from: '/dashboard/models' })
  const navigate = useNavigate({ from: '/dashboard/models' })
  const selection: Shown = show === 'other' || show === 'all' ? show : 'own'
  const models = useQuery(read('listPricedModels'))
  return (
    <Page {...pageHeads['/dashboard/models']}>
      <search className="flex flex-wrap items-center gap-3">
        <SearchField
          label="Search models"
          placeholder="Name, provider, kind or endpoint"
          text={q}
          onChange={(text) => void navigate({ search: (before) => ({ ...before, q: text }), replace: true })}
        />
        <Segments
          legend="Plans"
          options={shownOptions}
          value={selection}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, show: next }), replace: true })}
        />
        <Choice
          label="Sort models"
          value={sort}
          options={orderOptions}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
        />
      </search>
      <Card isFlush>
        <QueryView query={models} lines={12}>
          {(data) => {
            const rows = sortModels(findModels(data.models, q, selection), sort)
            return (
              <>
                <p role="status" className="px-5 pt-4 pb-3 text-[0.8125rem] text-ink-soft">
                  {countOf(rows.length, 'model')}
                </p>
                {rows.length === 0 ? (
                  <Empty
                    icon={Box}
                    title={q === '' && selection === 'other' ? 'Your plan has every model' : 'No model matches'}
                  >
                    {q === '' && selection === 'other'
                      ? 'No plan here has a model that yours lacks.'
                      : 'Clear the search, or show the models of all plans.'}
                  </Empty>
                ) : (
                  <ul aria-label="Models" className="divide-y divide-line border-t border-line">
                    {rows.map((model) => (
                      <ModelRow key={model.id} model={model} />
                    ))}
                  </ul>
                )}
              </>
            )
          }}
        </QueryView>
      </Card>
    </Page>
  )
}
