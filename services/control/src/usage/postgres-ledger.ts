import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import type { Usage } from '@tollgate/state/usage/usage.ts'
import { and, DrizzleQueryError, gte, lt, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { pageOrder, pageSize, pagesOf } from '../database/pages-by-change.ts'
import { accounts } from '../database/schema/accounts.ts'
import { projection } from '../database/schema/projection.ts'
import { ledger } from '../database/schema/usage.ts'
import { eachCounter, type Ledger, ledgerRow } from './ledger.ts'
import { monthOf } from './usage-range.ts'

const hourMs = 3_600_000
/** Few enough that a statement takes less than about 50 ms. */
const rowsPerStatement = 1000

/** Keeps the ledger in the table of `database/schema/usage.ts`. */
export function createPostgresLedger(orm: Orm): Ledger {
  return {
    async store(usages) {
      const rows = usages.map(toRow)
      for (let from = 0; from < rows.length; from += rowsPerStatement) {
        await storeRows(orm, rows.slice(from, from + rowsPerStatement))
      }
    },

    async *accountsOf(shards) {
      for await (const rows of pagesOf(accounts, shards, 0, accountsWhere(orm))) yield rows.map(({ id }) => id)
    },

    async spendOf(ids, now) {
      const { from, to } = monthOf(now)
      const month = monthNumber(now)
      const sums = await queryRows<Sum>(orm, spendByKey(ids, from, to))
      return [...Map.groupBy(sums, ({ account }) => account)].map(([account, ofAccount]) => ({
        account,
        month,
        settled: spent(ofAccount.reduce((sum, { cost }) => sum + Number(cost), 0)),
        byKey: new Map(ofAccount.map(({ key, cost }) => [key, spent(Number(cost))]))
      }))
    },

    async rowsSince(ids, hour) {
      const rows = await queryRows<CopiedRow>(
        orm,
        rowsOfAccounts(ids, new Date(hour * hourMs), new Date((hour - 24) * hourMs))
      )
      return rows.flatMap(ledgerRow)
    },

    async uncopiedEpoch() {
      const [row] = await orm
        .select({ epoch: projection.epoch })
        .from(projection)
        .where(lt(projection.ledgerEpoch, projection.epoch))
      return row?.epoch ?? null
    },

    async noteCopied(epoch) {
      await orm.update(projection).set({ ledgerEpoch: epoch }).where(lt(projection.ledgerEpoch, epoch))
    }
  }
}

/** A row of the ledger, as the upsert reads it. */
const toRow = ({ hour, name: _name, born: _born, ...row }: Usage) => ({ second: hour * 3600, ...row })
type LedgerRow = ReturnType<typeof toRow>

/** `check_violation`: no partition exists for a row. */
const missingPartition = '23514'

async function storeRows(orm: Orm, rows: LedgerRow[]): Promise<void> {
  try {
    await orm.execute(upsert(rows))
  } catch (error) {
    if (!(error instanceof DrizzleQueryError)) throw error
    const { code } = error.cause as { code?: unknown }
    if (code !== missingPartition) throw error
    const hours = JSON.stringify([...new Set(rows.map(({ second }) => second))])
    await orm.execute(
      sql`select add_ledger_month(to_timestamp(value::float8)) from json_array_elements_text(${hours}::text::json)`
    )
    await orm.execute(upsert(rows))
  }
}

/**
 * Leaves out copies of closed hours: they came from an old state of Redis, and the ledger has them as days (see
 * `fold-ledger.ts`).
 *
 * Stores in the order of the primary key: replicas that lock the same rows in different orders could deadlock.
 */
const upsert = (rows: readonly LedgerRow[]): SQL => sql`
  insert into ${ledger} (
    account_id, hour, run, key_id, model, upstream, revision, ${eachCounter((_counter, column) => column)}
  )
  select account, to_timestamp(second), run, key, model, upstream, revision, ${eachCounter((counter) => `"${counter}"`)}
  from json_to_recordset(${JSON.stringify(rows)}::text::json) as copied (
    account uuid, second bigint, run text, key text, model text, upstream text, revision bigint,
    ${eachCounter((counter) => `"${counter}" bigint`)}
  )
  where to_timestamp(second) >= coalesce((select max(ledger_closed_before) from ${projection}), '-infinity')
  order by account, second, run, key, model
  on conflict (account_id, hour, run, key_id, model) do update set
    revision = excluded.revision, ${eachCounter((_counter, column) => `${column} = excluded.${column}`)}
  where ${ledger.revision} < excluded.revision`

const accountsWhere = (orm: Orm) => (condition: SQL) =>
  orm
    .select({ id: accounts.id, shard: accounts.shard, version: accounts.version })
    .from(accounts)
    .where(and(condition, sql`not 'deleted' = any (${accounts.suspensions})`))
    .orderBy(...pageOrder(accounts))
    .limit(pageSize)

interface Sum {
  account: string
  key: string
  cost: string
}

/**
 * Sums what accounts spent in a range, by key. Exported for tests of its query plan. The accounts are one parameter: a
 * thousand would take longer than the query.
 */
export const spendByKey = (ids: readonly string[], from: Date, to: Date): SQL => sql`
  select ${ledger.accountId}::text as account, ${ledger.keyId} as key, sum(${ledger.costNanos})::text as cost
  from ${ledger}
  where ${ledger.accountId} = any(${`{${ids.join()}}`}::uuid[]) and ${and(gte(ledger.hour, from), lt(ledger.hour, to))}
  group by 1, 2`

interface CopiedRow {
  account: string
  hour: string
  run: string
  key: string
  model: string
  revision: string
}

const rowsOfAccounts = (ids: readonly string[], from: Date, lateFrom: Date): SQL => sql`
  select ${ledger.accountId}::text as account, (extract(epoch from ${ledger.hour}) / 3600)::bigint::text as hour, ${ledger.run},
    ${ledger.keyId} as key, ${ledger.model}, ${ledger.revision}::text
  from ${ledger}
  where ${ledger.accountId} = any(${`{${ids.join()}}`}::uuid[]) and ${gte(ledger.hour, lateFrom)}
    and (${gte(ledger.hour, from)} or ${ledger.run} like '%~%')`

/** The ledger may have a correction before the row that it corrects. */
const spent = (nanos: number): number => Math.max(0, nanos)
