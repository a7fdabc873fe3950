import assert from 'node:assert/strict'
import type { GetKeyResponse } from '@tollgate/contracts/http/keys.ts'
import type { UsageRefusalsResponse } from '@tollgate/contracts/http/usage.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { asc, eq } from 'drizzle-orm'
import { test } from 'tap'
import type { Static } from 'typebox'
import { events, openRefusals } from '../database/schema/notices.ts'
import { refusalsMail } from '../mail/spend-mails.ts'
import { tellRefusals } from '../notices/tell-refusals.ts'
import { keptDays } from '../requests/request-days.ts'
import { storeReceipts } from '../requests/store-receipts.ts'
import { receiptOf } from '../requests/testing/receipt-of.ts'
import { expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { endByServed } from './end-refusals.ts'
import { noteRefusals } from './refusals.ts'

const dayMs = 86_400_000

onDatabase('refused requests', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  // In the middle of a month and a day, so that a few seconds and days do not cross their ends.
  const noon = Date.UTC(2026, 10, 15, 12)
  const second = noon / 1000
  const store = (receipts: readonly Receipt[]) =>
    storeReceipts(orm, receipts, {
      kept: keptDays([noon, noon + 3 * dayMs], 30),
      async onStored(tx, stored) {
        await noteRefusals(tx, stored)
        await endByServed(tx, stored)
      }
    })

  async function open() {
    const user = await control.signUp({ plan: 'pro' })
    const { cookie } = user
    const body = { label: 'an app', monthly_budget_usd: 1 }
    const created = await expectStatus(call('POST', '/api/keys', { cookie, body }), 201)
    const { id: key } = (created.body as { key: { id: string } }).key
    const of = (at: number, changed: Partial<Receipt>) => receiptOf(user.id, { key, at: second + at, ...changed })
    const refused = (at: number, needed: number, count = 1) =>
      of(at, {
        kind: 'refused',
        status: 402,
        code: 'key_budget_exceeded',
        count,
        costNanos: 0,
        rates: null,
        refused: { unit: 'nanos', needed, left: 350_000_000, limit: 1_000_000_000 }
      })
    const served = (at: number, heldNanos: number) => of(at, { heldNanos })
    const counts = async () => {
      const path = '/api/usage/refusals?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z'
      const answer = await expectStatus(call('GET', path, { cookie }), 200)
      return answer.body as UsageRefusalsResponse
    }
    const readRefusals = async () => {
      const answer = await expectStatus(call('GET', `/api/keys/${key}`, { cookie }), 200)
      return (answer.body as Static<typeof GetKeyResponse>).key.refusals
    }
    const told = async () => {
      const rows = await orm.select().from(events).where(eq(events.accountId, user.id)).orderBy(asc(events.at))
      return rows.flatMap(({ type }) => (type.startsWith('requests.') ? [type] : []))
    }
    return { ...user, key, of, refused, served, counts, readRefusals, told }
  }
  const tell = (days = 0) => tellRefusals(orm, new Date(noon + 60_000 + days * dayMs))

  await t.test('they are counted once by day, key and code, with the smallest refused request', async () => {
    const account = await open()
    const receipts = [
      account.refused(0, 470_000_000, 3),
      account.refused(1, 400_000_000),
      account.refused(2, 500_000_000, 2),
      account.of(3, { kind: 'refused', status: 429, code: 'requests_per_minute', count: 9 }),
      account.of(4, { kind: 'refused', status: 400, code: 'invalid_request', count: 50 })
    ]
    await store(receipts.slice(0, 2))
    await store(receipts)
    const { buckets, open: opened, keys } = await account.counts()
    const common = { start: '2026-11-15T00:00:00.000Z', key_id: account.key }
    assert.deepEqual(buckets, [
      { ...common, code: 'requests_per_minute', reason: 'rate', requests: 9 },
      { ...common, code: 'key_budget_exceeded', reason: 'budget', requests: 6 }
    ])
    assert.deepEqual([keys.map(({ label }) => label), opened.length], [['an app'], 2])
    const ofBudget = (await account.readRefusals()).find(({ reason }) => reason === 'budget')
    assert.partialDeepStrictEqual(ofBudget, { requests: 6, needed_usd: '0.40', left_usd: '0.35', limit_usd: '1.00' })
  })

  await t.test('the owner is told once a day, and that it ended when a request as large is served', async () => {
    const account = await open()
    await store([account.refused(0, 470_000_000), account.served(1, 100_000_000)])
    await tell()
    await store([account.refused(5, 470_000_000)])
    await tell()
    assert.deepEqual(await account.told(), ['requests.refused'])
    await store([account.refused(dayMs / 1000, 470_000_000)])
    await tell(1)
    assert.deepEqual(await account.told(), ['requests.refused', 'requests.refused'], 'on the next day again')
    await store([account.served(dayMs / 1000 + 1, 470_000_000)])
    assert.deepEqual(await account.readRefusals(), [])
    await tell(1)
    assert.deepEqual((await account.told()).slice(2), ['requests.refused_ended'])
    assert.equal(await orm.$count(openRefusals, eq(openRefusals.keyId, account.key)), 0)
  })

  await t.test('they end after a whole day without another one, and with a changed limit', async () => {
    const [quiet, raised] = [await open(), await open()]
    await store([quiet.refused(0, 470_000_000), raised.refused(0, 470_000_000)])
    await tell()
    await tell(1)
    assert.equal((await quiet.readRefusals()).length, 1)
    const body = { monthly_budget_usd: 2 }
    await expectStatus(call('PATCH', `/api/keys/${raised.key}`, { cookie: raised.cookie, body }), 200)
    assert.deepEqual(await raised.readRefusals(), [])
    await tell(2)
    assert.deepEqual(await quiet.readRefusals(), [])
    for (const { told } of [quiet, raised])
      assert.deepEqual(await told(), ['requests.refused', 'requests.refused_ended'])
  })

  await t.test(
    'a refused address stays refused until the list changes, whatever other addresses are served',
    async () => {
      const account = await open()
      await store([
        account.of(0, { kind: 'refused', status: 403, code: 'ip_address_not_allowed' }),
        account.served(1, 470_000_000)
      ])
      assert.partialDeepStrictEqual(await account.readRefusals(), [{ reason: 'address' }])
      const body = { addresses: ['203.0.113.7'] }
      await expectStatus(call('PATCH', `/api/keys/${account.key}`, { cookie: account.cookie, body }), 200)
      assert.deepEqual(await account.readRefusals(), [])
    }
  )

  await t.test(
    'what ends before it is told is not told, and a limit of rate is told from 100 refusals on',
    async () => {
      const [short, rate] = [await open(), await open()]
      const ofRate = (count: number) =>
        rate.of(count, { kind: 'refused', status: 429, code: 'requests_per_minute', count })
      await store([short.refused(0, 1000), ofRate(99)])
      await store([short.served(1, 1000)])
      await tell()
      assert.deepEqual([await short.told(), await rate.told()], [[], []])
      await store([ofRate(1)])
      await tell()
      assert.deepEqual(await rate.told(), ['requests.refused'])
    }
  )
})

test('the mail names the smallest refused request and what is left; of several keys, each has a line', async () => {
  const at = '2026-11-15T12:00:00.000Z'
  const key = { id: 'key_1', label: 'an app', scope: 'inference', metadata: {} } as const
  const refused = { unit: 'nanos', needed: 470_000_000, left: 350_000_000, limit: 1_000_000_000 } as const
  const why = {
    code: 'key_budget_exceeded',
    reason: 'budget',
    since: at,
    last_at: at,
    requests: 12,
    model: 'm'
  } as const
  const data = { key, ...why, ...showRefused(refused) }
  const [began, ended] = [
    { type: 'requests.refused', at, data },
    { type: 'requests.refused_ended', at, data }
  ] as const
  const { subject, facts } = refusalsMail([began], 1)
  assert.equal(subject, 'Your API key “an app” refuses requests')
  assert.deepEqual(facts, [
    ['Refused so far', '12'],
    ['Smallest refused request', '$0.47'],
    ['Left of the budget', '$0.35']
  ])
  assert.match(refusalsMail([ended], 1).subject, /no longer refuses requests/)
  assert.deepEqual(refusalsMail([began, ended], 2).items, [
    '“an app” refuses requests, because a budget has too little left',
    '“an app” no longer refuses requests'
  ])
})
