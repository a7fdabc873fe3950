import { sql } from 'drizzle-orm'
import type { Orm } from '../../database/connect.ts'

/** Adds the partitions of the months of these times, for tests that insert rows themselves. */
export async function addLedgerMonths(orm: Orm, ...times: Array<Date | string>): Promise<void> {
  for (const time of times) {
    await orm.execute(sql`select add_ledger_month(${new Date(time).toISOString()}::timestamptz)`)
  }
}
