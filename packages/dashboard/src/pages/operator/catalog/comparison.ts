import type { CatalogChange, CatalogDiffResponse, PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import { countOf } from '../../../format/number.ts'

/** The text of a file, or the version of an earlier catalog. */
export type NewCatalog = { readonly yaml: string } | { readonly version: number }

/** What would change, compared with the catalog in force. */
export interface Comparison {
  readonly of: NewCatalog
  readonly difference: CatalogDiffResponse
}

/** Who put a catalog in force. */
export const nameOfPublisher = ({ published_by, operator_email }: PublishedCatalog): string =>
  published_by === 'file' ? 'The catalog file' : (operator_email ?? 'A deleted operator')

interface ChangeGroup {
  readonly title: string
  readonly changes: readonly CatalogChange[]
}

const sections = [
  ['plans', 'Plans'],
  ['models', 'Models']
] as const

/**
 * Groups the changes of a catalog by the section of the file, plans first. Within a section, those that touch the most
 * accounts come first.
 */
export function groupChanges(changes: readonly CatalogChange[]): ChangeGroup[] {
  const bySection = Map.groupBy(changes, ({ path }) => path.split('.', 1)[0] ?? '')
  const names = sections.map(([section]) => section as string)
  const others = [...bySection.keys()]
    .filter((section) => !names.includes(section))
    .map((name) => [name, name] as const)
  return [...sections, ...others].flatMap(([section, title]) => {
    const own = bySection.get(section)
    return own === undefined ? [] : [{ title, changes: own.toSorted((a, b) => b.accounts - a.accounts) }]
  })
}

/** What a comparison found, in one sentence. */
export function summarize(difference: {
  readonly changes: number
  readonly problems: number
  readonly warnings: number
}): string {
  const changes = difference.changes === 0 ? 'Nothing changes' : countOf(difference.changes, 'change')
  if (difference.problems > 0) return `It cannot be applied: ${countOf(difference.problems, 'problem')}.`
  return difference.warnings === 0 ? `${changes}.` : `${changes}, ${countOf(difference.warnings, 'warning')}.`
}
