import assert from 'node:assert/strict'
import type { AdminLedgerResponse } from '@tollgate/contracts/http/admin/ledger.ts'
import type { ExportedUsage } from '@tollgate/contracts/http/admin/usage.ts'
import { isRare, shownCounters, shownCounts } from '@tollgate/contracts/meters/meters.ts'
import { accountName, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { openSpends } from '@tollgate/state/spend/spend.ts'
import { adjustments } from '../database/schema/audit.ts'
import { ledger } from '../database/schema/usage.ts'
import { codeOf } from '../testing/call-control.ts'
import { onEachDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyUsage } from '../usage/usage-copier.ts'
import { monthOf } from '../usage/usage-range.ts'

type Row = typeof ledger.$inferInsert

onEachDatabase('the export of the ledger', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { orm } = control.database
  const { cookie } = await control.signUpOperator()
  const [a, b] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  const row = (accountId: string, hour: string, changed: Partial<Row> = {}): Row => ({
    accountId,
    hour: new Date(hour),
    run: 'run',
    keyId: 'key_a',
    model: 'small',
    revision: 1,
    requests: 1,
    promptTokens: 10,
    completionTokens: 5,
    costNanos: 1_000_000_001,
    ...changed
  })
  await addLedgerMonths(orm, '2026-02-01', '2026-03-01', '2026-04-01')
  await orm
    .insert(ledger)
    .values([
      row(a, '2026-02-28T23:00:00Z'),
      row(a, '2026-03-01T00:00:00Z'),
      row(a, '2026-03-01T05:00:00Z', { run: 'other', costNanos: -2_000_000_000 }),
      row(a, '2026-03-02T00:00:00Z', { model: '=HYPERLINK("evil")', upstream: 'openai' }),
      row(b, '2026-03-01T00:00:00Z', { requests: 3 })
    ])
  const read = (query: string) =>
    control.call('GET', `/api/admin/usage?from=2026-03-01&to=2026-03-31&${query}`, { cookie })
  const rows = async (query: string): Promise<ExportedUsage[]> => {
    const { body } = await read(query)
    const lines = String(typeof body === 'string' ? body : JSON.stringify(body))
      .split('\n')
      .filter(Boolean)
    return lines.map((line) => JSON.parse(line))
  }

  await t.test('a row for each account, day, key, model and upstream, with exact costs', async () => {
    const entries = await rows('')
    assert.deepEqual(
      entries.map((one) => [one.account_id, one.day, one.model, one.upstream, one.requests, one.cost_usd]),
      [
        [a, '2026-03-01', 'small', '', 2, '-0.999999999'],
        [a, '2026-03-02', '=HYPERLINK("evil")', 'openai', 1, '1.000000001'],
        [b, '2026-03-01', 'small', '', 3, '1.000000001']
      ]
    )
  })

  await t.test('it can be grouped, and be about one account', async () => {
    assert.deepEqual(
      (await rows('group=model,day')).map(({ day, model, requests }) => [day, model, requests]),
      [
        ['2026-03-01', 'small', 5],
        ['2026-03-02', '=HYPERLINK("evil")', 1]
      ]
    )
    assert.deepEqual(
      (await rows(`group=account&account=${b}`)).map(({ account_id, requests }) => [account_id, requests]),
      [[b, 3]]
    )
  })

  await t.test('as CSV, no cell is a formula, and amounts stay numbers', async () => {
    const { headers, body } = await read('format=csv&group=account,model')
    assert.match(String(headers['content-type']), /^text\/csv/)
    const noRare = ',0'.repeat(shownCounters.filter(isRare).length)
    assert.deepEqual(String(body).split('\r\n'), [
      `account_id,model,${shownCounts.join(',')},estimated_requests,cost_usd,provider_cost_usd,margin_usd`,
      `${a},"'=HYPERLINK(""evil"")",1,0,10,0,5,0${noRare},0,1.000000001,1.000000001,0.00`,
      `${a},small,2,0,20,0,10,0${noRare},0,-0.999999999,-0.999999999,0.00`,
      `${b},small,3,0,10,0,5,0${noRare},0,1.000000001,1.000000001,0.00`,
      ''
    ])
  })

  await t.test('an export of many pages has each row once, in order', async () => {
    const many = Array.from({ length: 4500 }, (_, number) =>
      row(number % 2 === 0 ? a : b, '2026-04-01T00:00:00Z', { keyId: `key_${String(number).padStart(5, '0')}` })
    )
    for (let from = 0; from < many.length; from += 900) await orm.insert(ledger).values(many.slice(from, from + 900))
    const { body } = await control.call('GET', '/api/admin/usage?from=2026-03-02&to=2026-04-30', { cookie })
    const lines = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ExportedUsage)
    assert.equal(new Set(lines.map(({ key_id }) => key_id)).size, 4501)
    assert.equal(lines.length, 4501)
    const april = lines.slice(1).map(({ account_id, key_id }) => `${account_id}${key_id}`)
    assert.deepEqual(april, april.toSorted())
  })

  await t.test('a range that ends before it begins is refused', async () => {
    const answer = await control.call('GET', '/api/admin/usage?from=2026-03-02&to=2026-03-01', { cookie })
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'])
  })
})

onEachDatabase('the comparison of Redis and the ledger', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { redis, database } = control
  const { cookie } = await control.signUpOperator()
  const user = await control.signUp()
  const month = monthNumber(new Date())
  const compare = async (query = '') => {
    const answer = await control.call('GET', `/api/admin/ledger?${query}`, { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as AdminLedgerResponse
  }
  const copy = () => copyUsage(createPostgresLedger(database.orm), redis, 'changed')

  await t.test('usage that is not copied yet is a normal difference, and goes away', async () => {
    await openSpends(redis, [user.id], month)
    await serve(redis, user.id, { costNanos: 2_500_000_000 })
    const { ledger: comparison } = await compare()
    assert.deepEqual(
      comparison.differences.map((one) => [one.email, one.counted_usd, one.ledger_usd, one.reason, one.is_normal]),
      [[user.email, '2.50', '0.00', 'not_copied_yet', true]]
    )
    await copy()
    assert.deepEqual((await compare()).ledger.differences, [])
    assert.equal((await compare()).ledger.ledger_usd, '2.50')
  })

  await t.test('usage that Redis has lost is a difference that needs somebody', async () => {
    await redis.client.del(accountName(user.id))
    assert.equal((await compare()).ledger.differences[0]?.reason, 'not_seeded')
    await openSpends(redis, [user.id], month)
    const [difference] = (await compare()).ledger.differences
    assert.deepEqual(
      [difference?.reason, difference?.difference_usd, difference?.is_normal],
      ['ledger_has_more', '-2.50', false]
    )
    assert.match(difference!.explanation, /projection rebuild/)
  })

  await t.test('adjustments are shown and are no usage; differences come in pages', async () => {
    const id = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
    const at = new Date()
    await database.orm.insert(adjustments).values({
      id,
      accountId: user.id,
      month: monthOf(at).from,
      nanos: -2_500_000_000,
      reason: 'goodwill',
      actorId: id,
      at
    })
    const [difference] = (await compare()).ledger.differences
    assert.deepEqual([difference?.adjustments_usd, difference?.difference_usd], ['-2.50', '-2.50'])
    const others = [await control.signUp(), await control.signUp(), await control.signUp()]
    for (const other of others) await serve(redis, other.id)
    await copy()
    await Promise.all(others.map((other) => redis.client.del(accountName(other.id))))
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await compare(`limit=1${cursor}`)
      seen.push(...page.ledger.differences.map(({ account_id }) => account_id))
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(seen, [user, ...others].map(({ id }) => id).toSorted())
  })

  await t.test('an earlier month has sums only', async () => {
    const { ledger: comparison } = await compare('month=2026-01')
    assert.deepEqual([comparison.is_compared, comparison.ledger_usd, comparison.differences], [false, '0.00', []])
  })
})
