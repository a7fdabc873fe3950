import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { sweepTombstones } from '@tollgate/state/projection/sweep-tombstones.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import type { Sql } from 'postgres'
import t from 'tap'
import { rawChat } from '../chaos/traffic/send-steadily.ts'
import { findPostgresTools, type OperatedSystem, startOperatedSystem } from '../operation/start-operated-system.ts'
import { startSteadyRequests } from '../operation/steady-requests.ts'
import { Person, payByCard } from '../person.ts'
import { restore } from './restore.ts'

const tools = findPostgresTools()
const question = { model: 'gpt-4o-mini', max_tokens: 5, messages: [{ role: 'user', content: 'Say 5 words.' }] }

interface NamedKey {
  id: string
  secret: string
}

/** A person with keys, and what the gateways answer to them. */
async function createCustomer({ system }: OperatedSystem) {
  const person = await new Person(system, 'ada').join('enterprise')
  const create = async (label: string): Promise<NamedKey> => {
    const { status, body } = await person.createKey(label)
    assert.equal(status, 201)
    return { id: body.key.id, secret: body.key.value }
  }
  /** The same answer of both gateways. */
  const ask = async ({ secret }: Pick<NamedKey, 'secret'>): Promise<string> => {
    const [one, other] = await Promise.all(
      system.addresses.gateways.map((url) => rawChat(url, { secret, account: '' }, question))
    )
    return one!.outcome === other!.outcome ? one!.outcome : `${one!.outcome}, ${other!.outcome}`
  }
  return { person, create, ask }
}

/** Buys a plan by card, and waits until control knows it. */
async function payFor(person: Person, price: string): Promise<void> {
  await payByCard(person, price)
  await untilPlan(person, 'pro')
}

async function untilPlan(person: Person, plan: string): Promise<void> {
  const planOf = async () => (await person.call<{ plan: { id: string } }>('GET', '/api/billing/plan')).body.plan.id
  while ((await planOf()) !== plan) await delay(50)
}

/** This month's cost of an account in the ledger, nanodollars. */
async function costInLedger(sql: Sql, account: string): Promise<number> {
  const [row] = await sql<[{ cost: string }]>`
    select coalesce(sum(cost_nanos), 0)::text as cost from ledger where account_id = ${account}`
  return Number(row.cost)
}

/** Waits until the ledger has the whole spend that Redis has counted. */
async function untilLedgerHasAll({ link }: OperatedSystem, sql: Sql, account: string): Promise<number> {
  for (;;) {
    const spend = await readSpend(link, account, monthNumber(new Date()))
    const cost = await costInLedger(sql, account)
    if (spend?.reserved === 0 && spend.settled === cost) return cost
    await delay(20)
  }
}

t.test('a backup restores into an empty server', { timeout: 600_000 }, async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  if (!need(t, 'PostgreSQL', findPostgres(process.env)) || !need(t, 'pg_dump', tools)) return
  const operated = (await startOperatedSystem(t))!
  const { system, link, sql, postgres, directory } = operated
  const { person, create, ask } = await createCustomer(operated)
  const operator = await new Person(system, 'olga').joinAsOperator()
  const payer = await new Person(system, 'petra').join()
  const [kept, revoked, forgotten, rotated] = await Promise.all(['kept', 'revoked', 'forgotten', 'rotated'].map(create))
  const [{ account }] = await sql<[{ account: string }]>`
    select account_id::text as account from keys where id = ${kept!.id}`
  const file = join(directory, 'backup')
  const steady = startSteadyRequests(operated, () => [kept!.secret], null)
  t.after(() => steady.stop())
  await steady.more(5)

  // The backup has some spend.
  while ((await costInLedger(sql, account)) === 0) await steady.more(1)
  await tools.dump(postgres.url, file)
  await steady.more(5)
  assert.equal((await person.revokeKey(revoked!.id)).status, 200)
  assert.equal((await person.revokeKey(forgotten!.id)).status, 200)
  const { body } = await person.call<{ key: { value: string } }>('POST', `/api/keys/${rotated!.id}/rotate`, {
    grace_seconds: 0
  })
  const renewed = { secret: body.key.value }
  const created = await create('created after the backup')
  await payFor(payer, 'price_pro_monthly')
  assert.equal(await ask(created), '200')
  assert.equal(await ask(renewed), '200')
  assert.equal(await ask(rotated!), '401 revoked_api_key')

  await t.test(
    'with the Redis that served: no request fails, and what ended after the backup stays ended',
    async (t) => {
      // An hour after a revocation, Redis has nothing of the key any more.
      await sweepTombstones(link, { keptMs: 0 })
      const {
        report,
        restoreMs,
        verifiedMs,
        sql: restoredSql
      } = await restore(t, operated, tools, file, {
        data: 'kept'
      })
      await steady.more(5)
      await steady.stop()
      t.comment(
        `restored in ${Math.round(restoreMs)} ms, verified ${Math.round(verifiedMs)} ms after the start of control`
      )
      t.comment(`${steady.served().chats} requests were served meanwhile`)
      assert.deepEqual(steady.failures, [])
      assert.match(report, /Redis has changes since the backup/)
      assert.match(report, /Revoked again: 2 keys\. Rotated again: 1\./)
      assert.equal(await ask(kept!), '200')
      assert.equal(await ask(revoked!), '401 revoked_api_key')
      assert.equal(await ask(forgotten!), '401 revoked_api_key')
      assert.equal(await ask(renewed), '200')
      assert.equal(await ask(rotated!), '401 revoked_api_key')
      assert.equal(await ask(created), '401 invalid_api_key')
      assert.equal((await person.me()).status, 401, 'sessions have ended')
      assert.equal((await payer.login()).status, 200)
      await untilPlan(payer, 'pro')
      const isCaughtUp = async () => {
        const [row] = await restoredSql<[{ customers: number; invoices: number }]>`
          select (select count(*)::int from customers where plan = 'pro') as customers,
            (select count(*)::int from invoices) as invoices`
        return row.customers === 1 && row.invoices === 1
      }
      while (!(await isCaughtUp())) await delay(50)
      const { body: paid } = await payer.call<{ invoices: unknown[] }>('GET', '/api/billing/invoices')
      assert.equal(paid.invoices.length, 1)
      // Usage of the last hours is in Redis: the restored ledger has it again, to the nanodollar.
      assert.ok((await untilLedgerHasAll(operated, restoredSql, account)) > 0)
      assert.equal((await operator.login()).status, 200)
      const { body: verified } = await operator.call<{ ledger: { differences: unknown[] } }>('GET', '/api/admin/ledger')
      assert.deepEqual(verified.ledger.differences, [])
    }
  )

  await t.test(
    'without it: keys that ended after the backup work again, and spend is that of the backup',
    async (t) => {
      const { report, sql: restoredSql } = await restore(t, operated, tools, file, { data: 'empty' })
      assert.match(report, /Redis is empty/)
      const inBackup = await costInLedger(restoredSql, account)
      const spend = await readSpend(link, account, monthNumber(new Date()))
      assert.ok(inBackup > 0)
      assert.deepEqual(spend, { settled: inBackup, reserved: 0 })
      assert.equal(await ask(kept!), '200')
      assert.equal(await ask(revoked!), '200')
      assert.equal(await ask(rotated!), '200')
      assert.match(await ask(renewed), /^401 /)
      assert.equal((await person.login()).status, 200)
      assert.equal((await person.revokeKey(revoked!.id)).status, 200)
      assert.equal(await ask(revoked!), '401 revoked_api_key')
    }
  )
})
