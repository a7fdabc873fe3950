import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import postgres from 'postgres'
import { test } from 'tap'
import { createClocks, findFaketime } from './clocks.ts'

test('PostgreSQL’s clock moves while a system runs, which keeps its files private', async (t) => {
  if (!need(t, 'PostgreSQL', findPostgres(process.env)) || !need(t, 'faketime', findFaketime())) return
  const clocks = createClocks({ postgres: 1000 })
  t.teardown(() => clocks.stop())
  const server = (await startPostgres({ variables: clocks.ofServer('postgres') }))!
  t.teardown(() => server.stop())
  const sql = postgres(server.url, { max: 1 })
  t.teardown(() => sql.end())
  const former = process.umask(0o077)
  t.teardown(() => void process.umask(former))

  const isAhead = async (seconds: number) => {
    const before = Date.now()
    const [row] = await sql<[{ now: number }]>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`
    return row.now >= before + seconds * 1000 - 1000 && row.now <= Date.now() + seconds * 1000 + 1000
  }
  assert.ok(await isAhead(1000))
  clocks.move('postgres', -3600)
  assert.ok(await isAhead(-3600))
})
