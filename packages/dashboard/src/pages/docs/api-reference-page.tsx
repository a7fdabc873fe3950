import { apiReferencePath, forCustomersOnly } from '../../docs/list-pages.ts'
import { useUser } from '../../layout/caller.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { textLink } from '../../ui/text-link.ts'
import { DocsLayout } from './docs-layout.tsx'

/**
 * Both APIs, in a frame: the viewer needs inline styles and writes HTML from text, which the policy of the dashboard refuses.
 * Only operators see the calls of operators.
 */
export function ApiReferencePage() {
  const user = useUser()
  const address = user.role === 'operator' ? apiReferencePath : apiReferencePath + forCustomersOnly
  return (
    <Page {...pageHeads['/dashboard/docs/api']}>
      <DocsLayout isWide>
        <p className="mb-4 max-w-prose text-sm text-ink-soft">
          Open it{' '}
          <a href={address} target="_blank" rel="noopener" className={textLink}>
            in a tab of its own
          </a>
          , or read the OpenAPI documents of{' '}
          <a href="/api/docs/gateway.json" className={textLink}>
            models
          </a>{' '}
          and{' '}
          <a href="/api/openapi.json" className={textLink}>
            your account
          </a>
          .
        </p>
        <Card isFlush className="overflow-hidden">
          <iframe title="API reference" src={address} className="block h-[max(36rem,calc(100dvh-14rem))] w-full" />
        </Card>
      </DocsLayout>
    </Page>
  )
}
