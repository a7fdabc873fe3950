import type { Sql } from 'postgres'

/** Hours of each key and model in the seeded ledger, until now; before them, days, as control folds old hours. */
const hours = 30 * 24
const days = 335

/**
 * Fills the ledger with a year of every key: each key of the large account with three models in every hour, other keys with one.
 * A quarter of the keys gets one of 20 values of the tag `tenant`, as a reseller gives them.
 */
export async function seedLedger(sql: Sql): Promise<void> {
  await sql`
    update keys set metadata = metadata || jsonb_build_object('tenant', 'tenant ' || abs(hashtext(id)) % 20)
    where abs(hashtext(id)) % 4 = 0 and not metadata ? 'tenant'`
  await sql`
    select add_ledger_month(month) from generate_series(now() - interval '13 months', now(), interval '1 month') as month`
  for (const [first, step, last, run] of [
    [0, '1 hour', hours - 1, 'bench'],
    [1, '24 hours', days, 'day']
  ] as const) {
    await sql`
      insert into ledger (account_id, hour, run, key_id, model, requests, prompt_tokens, completion_tokens, cost_nanos, revision)
      select account_id, start, ${run}, keys.id, model, 1 + n % 90, 1000 + n % 50000, 300 + n % 9000, 1000 + (n * 7919) % 90000000, 1
      from keys,
        unnest(case when account_id = md5('user 0')::uuid then array['gpt-5-mini', 'gpt-5', 'claude-sonnet-4-5'] else array['gpt-5-mini'] end) as model,
        generate_series(${first}::int, ${last}::int) as n,
        lateral (select case when ${run} = 'day'
          then date_trunc('day', now(), 'UTC') - interval '30 days' - n * ${step}::interval
          else date_trunc('hour', now(), 'UTC') - n * ${step}::interval end as start) as time
      on conflict do nothing`
  }
  await sql`vacuum analyze ledger`
  await sql`vacuum analyze keys`
}
