import { modelPath, type SiteFacts } from '../site-facts.ts'
import { guidePath } from './docs-layout.ts'
import { type Guide, headingId, sectionsOf } from './docs-text.ts'
import { describeError, errorCodes, errorPath } from './error-pages.ts'
import type { Reference } from './reference.ts'

/** What a search can find. */
export interface Found {
  readonly title: string
  /** Which part of the site it is in. */
  readonly group: string
  readonly href: string
  readonly text: string
}

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

const maxFound = 50

/**
 * Finds what has all words: those with them in the title first, and titles that begin with them before all.
 *
 * @param words as typed
 */
export function searchDocs(index: readonly Found[], words: string): Found[] {
  const parts = words
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
  if (parts.length === 0) return []
  const scored = index.flatMap((found) => {
    const title = found.title.toLowerCase()
    const all = `${title} ${found.group} ${found.text}`.toLowerCase()
    if (!parts.every((part) => all.includes(part))) return []
    const score = title.startsWith(parts[0]!) ? 0 : parts.every((part) => title.includes(part)) ? 1 : 2
    return [{ found, score }]
  })
  return scored
    .toSorted((one, other) => one.score - other.score)
    .slice(0, maxFound)
    .map(({ found }) => found)
}
