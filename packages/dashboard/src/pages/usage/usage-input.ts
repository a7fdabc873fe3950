import type { UsageRange } from '../../usage/usage-range.ts'
import type { UsageOnly } from './usage-search.ts'

/** Groups that stay separate. An account may have thousands of keys, and an answer has a maximum number of buckets. */
const top = '50'

/** The input of a report of a range. */
export const usageInput = ({ from, to, interval }: UsageRange, by: string, only: UsageOnly = {}) => ({
  query: { from: from.toISOString(), to: to.toISOString(), interval, group_by: by, top, ...only }
})
