import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { keptDays, listDays, maintainDays } from '../requests/request-days.ts'
import { storeReceipts } from '../requests/store-receipts.ts'
import { receiptOf } from '../requests/testing/receipt-of.ts'
import { anonKey, serviceRoleKey, stripeKey, webhookSecret } from '../testing/control-options.ts'
import { listening, runControl } from '../testing/control-program.ts'
import { createDatabase } from '../testing/create-database.ts'
import { startControl } from '../testing/start-control.ts'
import { foldLedger } from '../usage/fold-ledger.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { createUsageCopier } from '../usage/usage-copier.ts'
import { openDatabase, queryRows } from './connect.ts'
import { assertMigratedWhenReachable, listPendingMigrations, migrate } from './migrate.ts'

const quiet = { info: () => {}, warn: () => {} }
/** The statements that the documentation tells operators to run, for a database without tables. */
const documented = /```sql\n([^`]*)```/.exec(readFileSync(workspaceFile('docs/operate/database-roles.md'), 'utf8'))![1]!

test('a role with only the documented grants', async (t) => {
  const server = await startPostgres()
  if (!need(t, 'PostgreSQL', server)) return
  t.after(() => server.stop())
  const admin = await createDatabase(server.url)
  const superuser = await openDatabase(admin, { poolSize: 1 })
  for (const statement of documented.split(';').filter((part) => part.trim() !== '')) {
    await superuser.orm.execute(sql.raw(statement))
  }
  await superuser.close()
  const urlOf = (user: string, password: string) => Object.assign(new URL(admin), { username: user, password }).href
  const owner = await openDatabase(urlOf('tollgate_owner', 'choose-one'), { poolSize: 1 })
  t.after(() => owner.close())
  const controlUrl = urlOf('tollgate_control', 'choose-another')
  const restricted = await openDatabase(controlUrl, { poolSize: 2 })
  t.after(() => restricted.close())

  const env = {
    AUTO_MIGRATE: 'false',
    DATABASE_URL: controlUrl,
    REDIS_URL: 'redis://127.0.0.1:9',
    CONTROL_PORT: '0',
    PUBLIC_URL: 'http://localhost:3000',
    SUPABASE_URL: 'http://127.0.0.1:9',
    SUPABASE_ANON_KEY: anonKey,
    SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret
  }

  await t.test('control stops before the migrations, and says what to type', async () => {
    const control = runControl(t, env)
    assert.deepEqual(await control.ended, { code: 1, signal: null })
    assert.match(control.output(), /DATABASE_URL: the database lacks \d+ migrations? .* Run: tollgate migrate/)
    assert.ok((await listPendingMigrations(restricted.orm)).includes('0000_baseline'))
    await assert.rejects(assertMigratedWhenReachable(restricted.orm, quiet), /lacks \d+ migrations? .*tollgate migrate/)
    await migrate(owner.orm)
    await assertMigratedWhenReachable(restricted.orm, quiet)
    await listening(runControl(t, env))
  })

  await t.test('it cannot create, change or drop tables', async () => {
    for (const statement of ['create table mine ()', 'alter table users add column mine text', 'drop table ledger']) {
      await assert.rejects(restricted.orm.execute(sql.raw(statement)), ({ cause }) => cause.code === '42501', statement)
    }
  })

  await t.test('control serves, writes to Redis and copies usage into new months', async () => {
    const control = await startControl({ databaseUrl: controlUrl, isMigrated: true, isProjecting: true })
    try {
      const user = await control.signUp()
      const { cookie } = user
      const created = await control.call('POST', '/api/keys', { cookie, body: { label: 'a key' } })
      assert.equal(created.status, 201, JSON.stringify(created.body))
      const operator = await control.signUpOperator()
      await serve(control.redis, user.id, { at: Date.UTC(2031, 4, 5) / 1000 })
      const { orm } = control.database
      const ledger = createPostgresLedger(orm)
      const stored = Promise.withResolvers<void>()
      const store: typeof ledger.store = async (usages) => {
        await ledger.store(usages)
        if (usages.length > 0) stored.resolve()
      }
      const copier = createUsageCopier({ ledger: { ...ledger, store }, redis: control.redis, log: quiet })
      copier.start()
      await stored.promise
      await copier.stop()
      const exported = await control.call('GET', '/api/admin/usage?from=2031-05-01&to=2031-05-31', operator)
      assert.equal(String(exported.body).trim().split('\n').length, 1, String(exported.body))
      assert.match(String(exported.body), /"day":"2031-05-05"/)
    } finally {
      await control.close()
    }
  })

  await t.test('it folds the ledger and drops closed months, and no others', async () => {
    const { orm } = restricted
    await orm.execute(sql`select add_ledger_month('2026-01-10'), add_ledger_month('2026-09-10')`)
    const now = new Date('2026-11-20T12:00:00Z')
    const retention = { hoursKeptDays: 5, monthsKept: 3 }
    await foldLedger(orm, retention, now)
    assert.deepEqual((await foldLedger(orm, retention, now)).dropped, ['ledger_2026_01'])
    const days = keptDays([now.getTime()], 30)
    await storeReceipts(orm, [receiptOf(randomUUID(), { at: days.from / 1000 })], { kept: days })
    await maintainDays(orm, days)
    const later = keptDays([now.getTime() + 86_400_000], 30)
    assert.deepEqual(await maintainDays(orm, later), ['2026-10-21'])
    assert.ok((await listDays(orm)).length >= 3)
    const [row] = await queryRows(orm, sql`select drop_ledger_month('2031-05-01') as dropped`)
    assert.deepEqual(row, { dropped: false })
  })
})
