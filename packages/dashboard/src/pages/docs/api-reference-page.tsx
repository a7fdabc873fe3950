import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { readDocument } from '../../api/read-document.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { QueryView } from '../../ui/states.tsx'
import { DocsLayout } from './docs-layout.tsx'
import { findOperations } from './find-operations.ts'
import { OperationView } from './operation-view.tsx'

const documents = [
  ['Models: the gateway', '/api/docs/gateway.json'],
  ['Your account', '/api/openapi.json']
] as const

/** Both APIs, from their OpenAPI documents. It needs no inline style and no HTML from text, which the page's policy refuses. */
export function ApiReferencePage() {
  const { q = '' } = useSearch({ from: '/dashboard/docs/api' })
  const navigate = useNavigate({ from: '/dashboard/docs/api' })
  return (
    <Page {...pageHeads['/dashboard/docs/api']}>
      <DocsLayout>
        <div className="space-y-6">
          <search className="flex">
            <SearchField
              label="Search operations"
              placeholder="Path or what it does"
              text={q}
              onChange={(text) => void navigate({ search: { q: text }, replace: true })}
            />
          </search>
          {documents.map(([title, path]) => (
            <Reference key={path} title={title} path={path} typed={q} />
          ))}
        </div>
      </DocsLayout>
    </Page>
  )
}

function Reference({ title, path, typed }: { title: string; path: string; typed: string }) {
  const text = useQuery(readDocument(path))
  return (
    <Card title={title} isFlush>
      <QueryView query={text} lines={8}>
        {(json) => <Operations document={JSON.parse(json) as OpenApiDocument} path={path} typed={typed} />}
      </QueryView>
    </Card>
  )
}

function Operations({ document, path, typed }: { document: OpenApiDocument; path: string; typed: string }) {
  const [server] = document.servers ?? []
  const groups = findOperations(document, typed)
  return (
    <div className="space-y-5 px-5 pb-5 text-sm">
      <p className="break-words text-ink-soft">
        Base address: <code className="font-mono text-[0.8125rem] break-all">{server?.url ?? location.origin}</code>.
        The{' '}
        <a href={path} className="underline">
          OpenAPI document
        </a>
        .
      </p>
      {groups.length === 0 && <p>No operation matches.</p>}
      {groups.map(([tag, found]) => (
        <section key={tag}>
          <h3 className="mb-2 font-semibold">{tag}</h3>
          <ul aria-label={tag} className="divide-y divide-line rounded-xl border border-line">
            {found.map((one) => (
              <OperationView key={one.operation.operationId} {...one} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
