import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount } from '../../layout/caller.ts'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { QueryView } from '../../ui/states.tsx'
import { DocsLayout } from './docs-layout.tsx'
import { DocsView, modelLabel } from './docs-view.tsx'
import { headOf } from './list-pages.ts'
import { readPage } from './read-page.ts'

/** The first page of the docs. */
export const DocsHome = () => (
  <Page {...pageHeads['/dashboard/docs']}>
    <DocsText page="quickstart" />
  </Page>
)

/** Any page of the docs. */
export function DocsSubPage() {
  const { page } = useParams({ from: '/dashboard/docs/$page' })
  return (
    <Page {...headOf(page)}>
      <DocsText key={page} page={page} />
    </Page>
  )
}

function DocsText({ page }: { readonly page: string }) {
  const models = useAccount()
    .models.filter(({ kind }) => kind === 'chat')
    .map(({ id }) => id)
  const [model, setModel] = useState(models[0] ?? 'MODEL')
  const text = useQuery(readPage(page))
  return (
    <DocsLayout>
      {text.data === undefined ? (
        <Card isFlush>
          <QueryView query={text} lines={12}>
            {() => null}
          </QueryView>
        </Card>
      ) : (
        <DocsView
          markdown={text.data}
          model={model}
          choice={
            <Choice
              label={modelLabel}
              options={models.map((id) => [id, id] as const)}
              value={model}
              onChange={setModel}
            />
          }
        />
      )}
    </DocsLayout>
  )
}
