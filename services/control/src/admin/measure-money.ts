import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { createDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { monthOf } from '../usage/usage-range.ts'
import { accountCosts, readAccountCosts, readMonthCosts, readRevenue, readServed } from './money-queries.ts'
import { lastMonths } from './months.ts'

const server = (await startPostgres())!
const database = await openMigratedDatabase(await createDatabase(server.url))
const { orm } = database
const now = new Date()
const months = lastMonths(12, now)
for (const m of months) await orm.execute(sql`select add_ledger_month(${m.toISOString()}::timestamptz)`)
await orm.execute(
  sql`insert into users (id, email, name, synced_at) select gen_random_uuid(), 'u' || n || '@example.com', '', now() from generate_series(1, 100000) n`
)
await orm.execute(
  sql`insert into accounts (id, owner_id, plan, shard, version, created_at) select id, id, case when random() < 0.2 then 'pro' else 'free' end, 'a00', 1, now() from users`
)
await orm.execute(
  sql`insert into customers (account_id, customer_id, plan, is_past_due) select id, 'cus_' || id, 'pro', false from accounts where plan = 'pro'`
)
await orm.execute(
  sql`insert into invoices (id, customer_id, amount, currency, paid_at) select 'in_' || customer_id || m, customer_id, 2000, 'usd', now() - m * interval '30 days' from customers, generate_series(0, 11) m`
)
const fill = (from: Date, per: number) =>
  orm.execute(sql`
  insert into ledger (account_id, hour, run, key_id, model, upstream, requests, prompt_tokens, completion_tokens, cost_nanos, revision)
  select id, ${from.toISOString()}::timestamptz + n * interval '1 hour', 'run.1', 'key_1', 'model-' || (n % 7), 'up-' || (n % 3), 3, 100, 100, (random() * 1e7)::bigint, 1
  from accounts, generate_series(1, ${per}::int) n`)
await fill(months.at(-1)!, 10)
for (const m of months.slice(0, 11)) await fill(m, 1)
await orm.execute(sql`analyze`)
console.log(await queryRows(orm, sql`select count(*)::text from ledger`))
const month = monthOf(now)
const time = async (what: string, run: () => Promise<unknown>) => {
  for (let i = 0; i < 2; i++) {
    const at = performance.now()
    await run()
    console.log(what, Math.round(performance.now() - at), 'ms')
  }
}
await orm.transaction(async (tx) => {
  await time('served', () => readServed(tx, month))
  await time('accounts', () => readAccountCosts(tx, month, 100))
  await time('months', () => readMonthCosts(tx, months.map(monthOf)))
  await time('revenue', () => readRevenue(tx, { from: months[0]!, to: month.to }))
  for (const row of await queryRows<Record<string, string>>(
    tx,
    sql`explain (analyze, buffers) ${accountCosts(month, 100)}`
  ))
    console.log(Object.values(row)[0])
})
await database.close()
await server.stop()
