import { type UsageCounter, usageCounterNames, usageCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import { type SQL, sql } from 'drizzle-orm'

/** A list in SQL with one term for each usage counter and its column. */
export const eachCounter = (termOf: (counter: UsageCounter, column: string) => string): SQL =>
  sql.raw(usageCounterNames.map((counter) => termOf(counter, usageCounters[counter])).join(', '))
