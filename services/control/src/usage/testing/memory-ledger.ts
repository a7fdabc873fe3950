import { accountShard, monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { LedgerSpend } from '@tollgate/state/spend/spend.ts'
import type { UsageRow } from '@tollgate/state/usage/usage.ts'
import { sql } from 'drizzle-orm'
import type { Orm } from '../../database/connect.ts'
import { type Ledger, ledgerRow } from '../ledger.ts'

export interface MemoryLedgerRow extends UsageRow {
  account: string
  hour: number
  revision: number
}

/** The part of a database that the ledger needs. */
export interface LedgerState {
  epoch: number
  ledgerEpoch: number
  ledger: Map<string, MemoryLedgerRow>
  accounts: ReadonlyMap<string, unknown>
}

/** An in-memory ledger for tests. Each call reads the state when it is called; pages have one account. */
export function createMemoryLedger(state: () => LedgerState): Ledger {
  return {
    async store(usages) {
      for (const { run, name: _name, born: _born, ...row } of usages) {
        const name = [row.account, row.hour, run, row.key, row.model].join('|')
        const stored = state().ledger.get(name)
        if (stored === undefined || stored.revision < row.revision) state().ledger.set(name, row)
      }
    },
    async *accountsOf(shards) {
      for (const account of state().accounts.keys()) if (shards.includes(accountShard(account))) yield [account]
    },
    async spendOf(accounts, now) {
      return ledgerSpends(state(), monthNumber(now)).filter(({ account }) => accounts.includes(account))
    },
    async rowsSince(accounts, hour) {
      return [...state().ledger].flatMap(([name, row]) => {
        const run = name.split('|')[2]!
        const isWanted = accounts.includes(row.account) && row.hour >= (run.includes('~') ? hour - 24 : hour)
        return isWanted ? ledgerRow({ ...row, run }) : []
      })
    },
    async uncopiedEpoch() {
      return state().ledgerEpoch < state().epoch ? state().epoch : null
    },
    async noteCopied(epoch) {
      state().ledgerEpoch = Math.max(state().ledgerEpoch, epoch)
    }
  }
}

/** The spend of each account with rows in a month, by the ledger. */
export function ledgerSpends({ ledger }: LedgerState, month: number): LedgerSpend[] {
  const ofMonth = [...ledger.values()].filter(({ hour }) => monthNumber(new Date(hour * 3_600_000)) === month)
  return [...Map.groupBy(ofMonth, ({ account }) => account)].map(([account, rows]) => {
    const byKey = new Map<string, number>()
    for (const { key, costNanos } of rows) byKey.set(key, (byKey.get(key) ?? 0) + costNanos)
    return { account, month, settled: sumCosts(rows), byKey }
  })
}

export const sumCosts = (rows: Iterable<UsageRow>): number => {
  let sum = 0
  for (const { costNanos } of rows) sum += costNanos
  return sum
}

/** Adds the partitions of the months of these times, for tests that insert rows themselves. */
export async function addLedgerMonths(orm: Orm, ...times: Array<Date | string>): Promise<void> {
  for (const time of times) {
    await orm.execute(sql`select add_ledger_month(${new Date(time).toISOString()}::timestamptz)`)
  }
}
