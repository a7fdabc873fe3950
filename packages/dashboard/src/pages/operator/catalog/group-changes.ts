import type { CatalogChange } from '@tollgate/contracts/http/admin/catalog.ts'
import { countOf } from '../../../format/number.ts'

export interface ChangeGroup {
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
  const known = sections.map(([section]) => section as string)
  const others = [...bySection.keys()]
    .filter((section) => !known.includes(section))
    .map((name) => [name, name] as const)
  return [...sections, ...others].flatMap(([section, title]) => {
    const own = bySection.get(section)
    return own === undefined ? [] : [{ title, changes: own.toSorted((a, b) => b.accounts - a.accounts) }]
  })
}

/** What a comparison found, in one sentence. */
export function summarize(found: {
  readonly changes: number
  readonly problems: number
  readonly warnings: number
}): string {
  const changes = found.changes === 0 ? 'Nothing changes' : countOf(found.changes, 'change')
  if (found.problems > 0) return `It cannot be applied: ${countOf(found.problems, 'problem')}.`
  return found.warnings === 0 ? `${changes}.` : `${changes}, ${countOf(found.warnings, 'warning')}.`
}
