import type { Answer } from '../api/call.ts'
import { visibleText } from '../format/visible-text.ts'
import type { Bucket } from './sum-usage.ts'

export type UsageReport = Answer<'getUsage'>
export type UsageKey = NonNullable<UsageReport['keys']>[number]

/** How a report groups its buckets. */
export interface Groups {
  /** The name of the grouping, such as `Model`; empty without groups. */
  readonly heading: string
  /** The unique id of a bucket's group. */
  readonly groupOf: (bucket: Bucket) => string
  /** The displayed name of a group. */
  readonly nameOf: (group: string) => string
}

export function groupUsage({ group_by: by, keys = [] }: Pick<UsageReport, 'group_by' | 'keys'>): Groups {
  switch (by) {
    case 'model':
      return { heading: 'Model', groupOf: ({ model = '' }) => model, nameOf: (model) => model }
    case 'key':
      return { heading: 'Key', groupOf: ({ key_id: id = '' }) => id, nameOf: nameKeys(keys) }
    case 'none':
      return { heading: '', groupOf: () => '', nameOf: () => 'Total' }
  }
}

/** Names keys by their labels. Equal labels also get the key's prefix; empty labels are replaced by it. */
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
