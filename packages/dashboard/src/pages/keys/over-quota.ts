import type { Answer } from '../../api/call.ts'
import { countOf } from '../../format/number.ts'

type Keys = Answer<'getLimits'>['limits']['keys']

export interface OverQuota {
  readonly title: string
  readonly text: string
}

/**
 * Describes keys above the number of the plan, such as after a change to a smaller plan. They keep working: the plan's number
 * only decides whether a key can be created.
 *
 * @returns null if no key is above it
 */
export function describeOverQuota({ limit, in_use: active }: Keys): OverQuota | null {
  if (limit === null || active <= limit) return null
  return {
    title: `You have ${countOf(active - limit, 'key')} more than your plan allows`,
    text: `Your plan allows ${countOf(limit, 'key')}, and ${active} are active. All of them keep working. Before you can create a key, revoke ${active - limit + 1} or choose a larger plan.`
  }
}
