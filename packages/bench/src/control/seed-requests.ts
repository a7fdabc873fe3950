import type { Sql } from 'postgres'

/** The seeded log ends now, and has so many days. */
export const seededDays = 30
/** Of one request in so many, the code is `upstream_error`. */
const failedEvery = 201
/** A model that one request a day asks for, in the large account. */
export const rareModel = 'rare-model'

/**
 * Fills the request log of the last 30 days with rows, half of them of the large account. The rows come from a table of examples, so
 * the server can make some 100,000 a second. Each day is a table of its own that gets its indexes before it joins the log:
 * otherwise this would take several times as long.
 *
 * @param connections one for each core: they make different days at the same time
 */
export async function seedRequests(
  connections: readonly Sql[],
  rows: number,
  progress: (line: string) => void
): Promise<void> {
  const [first] = connections
  await makeExamples(first!)
  const perDay = Math.ceil(rows / seededDays)
  const days = Array.from({ length: seededDays }, (_, day) => day)
  await Promise.all(
    connections.map(async (sql) => {
      for (let day = days.shift(); day !== undefined; day = days.shift()) {
        const part = await seedDay(sql, day, perDay)
        // Autovacuum is off. It would have been at the past days, but not yet at the newest rows of today.
        await sql.unsafe(day === 0 ? `analyze ${part}` : `vacuum analyze ${part}`)
        progress(`request log: ${seededDays - days.length} of ${seededDays} days`)
      }
    })
  )
}

/** A thousand examples: odd ones belong to the large account with its 100 keys, the others to 90 small accounts. */
async function makeExamples(sql: Sql): Promise<void> {
  await sql`drop table if exists bench_examples`
  await sql`
    create table bench_examples as
    select m, case when m % 2 = 1 then md5('user 0')::uuid else md5('user ' || (1 + (m / 2) % 90))::uuid end as account,
      'key_' || substr(md5(case when m % 2 = 1 then 'large key ' || (m / 2) % 100 else 'small key ' || ((m / 2) % 90) * 10 end), 1, 24) as key,
      (array['gpt-5-mini', 'gpt-5', 'claude-sonnet-4-5'])[1 + m % 3] as model,
      (array['openai', 'anthropic'])[1 + m % 2] as upstream
    from generate_series(0, 999) as m`
  // Three keys of the large account are a tenant's.
  await sql`
    update keys set metadata = '{"tenant":"bench"}' where id in (
      select key from bench_examples where m in (1, 3, 5)
    )`
}

async function seedDay(sql: Sql, ago: number, rows: number): Promise<string> {
  return sql.begin(async (tx) => {
    const [{ day, part }] = await tx<[{ day: Date; part: string }]>`
      select day, 'requests_' || to_char(day at time zone 'UTC', 'YYYY_MM_DD') as part
      from (select date_trunc('day', now(), 'UTC') - ${ago}::int * interval '24 hours' as day) as days`
    await tx`select drop_request_day(${day})`
    await tx`create table ${tx(part)} (like requests including defaults including constraints)`
    const spread = ago === 0 ? tx`extract(epoch from now() - ${day}::timestamptz)` : tx`86400`
    await tx`
      insert into ${tx(part)} (at, id, account_id, cost_nanos, held_nanos, rates_id, prompt_tokens, cached_tokens, completion_tokens,
        reasoning_tokens, held_tokens, granted_tokens, first_byte_ms, duration_ms, count, rank, attempts, status, is_stream,
        is_estimated, client_gone, key_id, endpoint, model, upstream, code)
      select ${day}::timestamptz + floor(n * ${spread}::float8 / ${rows}::int) * interval '1 second', gen_random_uuid(), account,
        case when isfailed then 0 else 1000 + (n * 7919) % 90000000 end, 100000000, 1, 300 + n % 5000, n % 200, 100 + n % 900, 0,
        6000, 1000, 200 + n % 700, 300 + (n * 31) % 30000, 1, 2, 1, case when isfailed then 502 else 200 end, n % 3 = 0,
        false, false, key, '/v1/chat/completions', case when israre then ${rareModel} else model end, upstream,
        case when isfailed then 'upstream_error' end
      from (
        select n, n % ${failedEvery}::int = 7 as isfailed, n = 5 as israre
        from generate_series(0::bigint, ${rows}::bigint - 1) as n
      ) as made join bench_examples on m = n % 1000`
    await tx`alter table ${tx(part)} add primary key (id, at)`
    const index = (on: ReturnType<typeof tx>) => tx`create index on ${tx(part)} ${on}`
    await index(tx`(account_id, at)`)
    await index(tx`(key_id, at)`)
    await index(tx`(account_id, at) where code is not null or status >= 400`)
    await index(tx`(key_id, at) where code is not null or status >= 400`)
    await index(tx`(account_id) where address is not null`)
    await index(tx`using brin (at)`)
    const next = new Date(day.getTime() + 86_400_000)
    await tx.unsafe(
      `alter table requests attach partition ${part} for values from ('${day.toISOString()}') to ('${next.toISOString()}')`
    )
    return part
  })
}
