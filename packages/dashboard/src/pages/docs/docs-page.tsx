import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { readDocument } from '../../api/queries.ts'
import { useChatModels } from '../../chat-models/use-chat-models.ts'
import { headOf, textAddress } from '../../docs/list-pages.ts'
import { useUser } from '../../layout/owner.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Choice } from '../../ui/select-box.tsx'
import { QueryView } from '../../ui/states.tsx'
import { DocsLayout } from './docs-layout.tsx'
import { DocsView, modelLabel } from './docs-view.tsx'

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
  const all = useChatModels()
  const models = all.filter(({ api }) => api === 'chat').map(({ id }) => id)
  const [chosen, setModel] = useState('')
  const model = models.includes(chosen) ? chosen : (models[0] ?? 'MODEL')
  /** The chosen model if it is offered at a path, or else another one of it. */
  const modelAt = (path: string) => {
    const offered = all.filter(({ endpoints }) => endpoints?.includes(path))
    return (offered.find(({ id }) => id === model) ?? offered[0])?.id
  }
  const fill = {
    MODEL: model,
    MESSAGES_MODEL: modelAt('/v1/messages') ?? 'MESSAGES_MODEL',
    RESPONSES_MODEL: modelAt('/v1/responses') ?? 'RESPONSES_MODEL'
  }
  const text = useQuery(readDocument(textAddress(page)))
  return (
    <DocsLayout isForOperator={useUser().role === 'operator'}>
      {text.data === undefined ? (
        <Card isFlush>
          <QueryView query={text} lines={12}>
            {() => null}
          </QueryView>
        </Card>
      ) : (
        <DocsView
          markdown={text.data}
          models={fill}
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
