import type { Answer } from '../api/call.ts'
import { visibleText } from '../format/visible-text.ts'
import type { Bucket } from './sum-usage.ts'

export type UsageReport = Answer<'getUsage'>
export type UsageKey = NonNullable<UsageReport['keys']>[number]

/** What a report's buckets are sums of. */
export type Groups = {
  /** What one of them is; empty where there is one for everything. */
  readonly heading: string
  /** What tells groups apart. */
  readonly groupOf: (bucket: Bucket) => string
  /** What people call a group. */
  readonly nameOf: (group: string) => string
}

export function groupUsage({ group_by: by, keys = [] }: Pick<UsageReport, 'group_by' | 'keys'>): Groups {
  switch (by) {
    case 'model':
      return { heading: 'Model', groupOf: ({ model = '' }) => model, nameOf: (model) => model }
    case 'key':
      return { heading: 'Key', groupOf: ({ key_id: id = '' }) => id, nameOf: nameKeys(keys) }
    case 'none':
      return { heading: '', groupOf: () => '', nameOf: () => 'All' }
  }
}

/** Keys by their labels; those of the same label also by how their values begin, those of no visible one only by that. */
function nameKeys(keys: readonly UsageKey[]): (id: string) => string {
  const sameLabel = Map.groupBy(keys, ({ label }) => label)
  const names = new Map(
    keys.map(({ id, label, prefix }) => {
      if (visibleText(label) === '') return [id, `${prefix}…`]
      return [id, (sameLabel.get(label)?.length ?? 0) > 1 ? `${label} (${prefix}…)` : label]
    })
  )
  return (id) => names.get(id) ?? id
}
