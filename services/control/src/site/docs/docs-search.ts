import { headingId } from '@tollgate/contracts/docs/docs-facts.ts'
import type { Found } from '@tollgate/contracts/docs/search-docs.ts'
import { modelPath, type SiteFacts } from '../site-facts.ts'
import { guidePath } from './docs-layout.ts'
import { type Guide, sectionsOf } from './docs-text.ts'
import { describeError, errorCodes, errorPath } from './error-pages.ts'
import type { Reference } from './reference.ts'

/** Everything that can be found, the most general first. @param facts null without pages besides the docs */
export function indexDocs(guides: readonly Guide[], reference: Reference, facts: SiteFacts | null): Found[] {
  const pages =
    facts === null
      ? []
      : [
          { title: 'Pricing', group: 'Page', href: '/pricing', text: 'Plans, budgets and what happens at the cap' },
          { title: 'Models', group: 'Page', href: '/models', text: 'All models with their prices' },
          { title: 'Status', group: 'Page', href: '/status', text: 'Success and speed of each model' }
        ]
  return [
    ...guides.map(({ name, title, summary }) => ({ title, group: 'Guide', href: guidePath(name), text: summary })),
    ...pages,
    // Each error has a page of its own.
    ...guides
      .filter(({ name }) => name !== 'errors')
      .flatMap(({ name, title, markdown }) =>
        sectionsOf(markdown).map((section) => ({
          title: section,
          group: title,
          href: `${guidePath(name)}#${headingId(section)}`,
          text: ''
        }))
      ),
    ...reference.groups.flatMap(({ operations }) =>
      operations.map(({ href, method, path, operation }) => ({
        title: `${method} ${path}`,
        group: 'API',
        href,
        text: operation.summary
      }))
    ),
    ...errorCodes.map((code) => ({ title: code, group: 'Error', href: errorPath(code), text: describeError(code) })),
    ...(facts?.models ?? []).map(({ id, provider }) => ({
      title: id,
      group: 'Model',
      href: modelPath(id),
      text: provider
    }))
  ]
}
