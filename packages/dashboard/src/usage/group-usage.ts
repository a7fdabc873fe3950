import type { Answer } from '../api/call.ts'
import { visibleText } from '../format/visible-text.ts'

export type UsageReport = Answer<'getUsage'>
export type LatencyReport = Answer<'getUsageLatency'>
export type UsageKey = NonNullable<UsageReport['keys']>[number]
type UsageMember = NonNullable<UsageReport['members']>[number]

/** The members of a bucket that say which group it belongs to. */
export type Grouped = Pick<
  UsageReport['buckets'][number],
  'model' | 'key_id' | 'member_id' | 'metadata_value' | 'others'
>

/** Filters of the request log that find the requests of a group. */
export type GroupFilter = Readonly<Record<string, string>>

/** How a report groups its buckets. */
export interface Groups {
  /** The name of the grouping, such as `Model`; empty without groups. */
  readonly heading: string
  /** The unique id of a bucket's group. */
  readonly groupOf: (bucket: Grouped) => string
  /** The displayed name of a group. */
  readonly nameOf: (group: string) => string
  /** Null if no filter finds the group's requests. */
  readonly filterOf: (group: string) => GroupFilter | null
}

/** The id of the smaller groups together. No group has it: ids of groups begin with {@link mark}. */
export const othersId = ''
/** The id of keys without a tag, or without a member. */
const noneId = '-'
const mark = '='

/** The id of the group with a value, such as a model. */
export const groupId = (value: string): string => mark + value

export const metadataPrefix = 'metadata.'

export function groupUsage({
  group_by: by,
  keys = [],
  members = []
}: Pick<UsageReport, 'group_by' | 'keys' | 'members'>): Groups {
  const groups = (
    heading: string,
    read: (bucket: Grouped) => string | null | undefined,
    filter: string,
    rest: Names
  ) => ({
    heading,
    groupOf: (bucket: Grouped) => {
      const value = read(bucket)
      if (bucket.others) return othersId
      return value === null || value === undefined ? noneId : groupId(value)
    },
    nameOf: (group: string) => {
      if (group === othersId) return 'Others'
      return group === noneId ? rest.none : rest.nameOf(group.slice(mark.length))
    },
    // A filter needs a text, and a tag may be empty.
    filterOf: (group: string) =>
      group.startsWith(mark) && group !== mark ? { [filter]: group.slice(mark.length) } : null
  })
  if (by === 'model')
    return groups('Model', ({ model }) => model, 'model', { none: 'Unknown', nameOf: (model) => model })
  if (by === 'key') return groups('Key', ({ key_id: id }) => id, 'key', { none: 'Unknown', nameOf: nameKeys(keys) })
  if (by === 'member')
    return groups('Member', ({ member_id: id }) => id, 'member', {
      none: 'Deleted members',
      nameOf: nameMembers(members)
    })
  if (by.startsWith(metadataPrefix)) {
    const tag = by.slice(metadataPrefix.length)
    return groups(`Tag: ${tag}`, ({ metadata_value: value }) => value, by, {
      none: `Without ${tag}`,
      nameOf: (value) => (visibleText(value) === '' ? '(empty)' : value)
    })
  }
  return { heading: '', groupOf: () => noneId, nameOf: () => 'Total', filterOf: () => null }
}

interface Names {
  /** The name of the group without a value. */
  readonly none: string
  readonly nameOf: (value: string) => string
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

const shownIdLength = 8

/** Names members. Equal names also get the beginning of the id. */
function nameMembers(members: readonly UsageMember[]): (id: string) => string {
  const sameName = Map.groupBy(members, ({ name }) => name)
  const names = new Map(
    members.map(({ id, name }) => {
      const start = `${id.slice(0, shownIdLength)}…`
      if (visibleText(name) === '') return [id, start]
      return [id, (sameName.get(name)?.length ?? 0) > 1 ? `${name} (${start})` : name]
    })
  )
  return (id) => names.get(id) ?? 'Deleted members'
}
