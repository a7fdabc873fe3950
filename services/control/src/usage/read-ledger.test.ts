import assert from 'node:assert/strict'
import type { UsageBucket, UsageLatencyResponse, UsageResponse } from '@tollgate/contracts/http/usage.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { eq } from 'drizzle-orm'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import { users } from '../database/schema/users.ts'
import { addDays } from '../requests/request-days.ts'
import { storeReceipts } from '../requests/store-receipts.ts'
import { receiptOf } from '../requests/testing/receipt-of.ts'
import { onEachDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { readLatency } from './read-latency.ts'
import { addLedgerMonths } from './testing/memory-ledger.ts'

type Row = typeof ledger.$inferInsert

onEachDatabase('groups of usage', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const ada = await control.signUp({ plan: 'pro' })
  const bob = await control.signUp({ plan: 'pro' })
  const createKey = async (label: string, metadata: Record<string, string>, cookie = ada.cookie) => {
    const { body } = await call('POST', '/api/keys', { cookie, body: { label, metadata } })
    return (body as { key: { id: string } }).key.id
  }
  const acme = await createKey('Acme', { tenant: 'acme', 'team.name': 'a' })
  const acmeToo = await createKey('Acme 2', { tenant: 'acme' })
  const plain = await createKey('Plain', {})
  const byBob = await createKey('Zenith', { tenant: "z'; drop table keys" })
  const theirs = await createKey('Theirs', { tenant: 'secret' }, bob.cookie)
  await orm.update(keys).set({ createdBy: bob.id }).where(eq(keys.id, byBob))

  const row = (keyId: string, costNanos: number, changed: Partial<Row> = {}): Row => ({
    accountId: ada.id,
    hour: new Date('2026-03-01T00:00:00Z'),
    run: 'run-1',
    keyId,
    model: 'small',
    requests: 1,
    costNanos,
    revision: 1,
    ...changed
  })
  await addLedgerMonths(orm, '2026-03-01')
  await orm
    .insert(ledger)
    .values([
      row(acme, 5),
      row(acmeToo, 7),
      row(plain, 20),
      row(byBob, 100),
      row('key_nobody_knows', 1),
      row(acme, 2, { hour: new Date('2026-03-02T00:00:00Z'), model: 'large' }),
      row(theirs, 9000, { accountId: bob.id })
    ])
  const march = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z'
  const get = async <Body>(path: string, query: string): Promise<Body> => {
    const answer = await call('GET', `/api/usage${path}?${query}`, { cookie: ada.cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as Body
  }
  const usage = (query: string) => get<UsageResponse>('', `${march}&${query}`)
  const brief = ({ start, model, key_id, member_id, metadata_value, others, requests, cost_usd }: UsageBucket) => [
    start.slice(8, 10),
    others ? 'others' : (model ?? key_id ?? member_id ?? metadata_value ?? null),
    requests,
    Math.round(Number(cost_usd) * 1e9)
  ]

  await t.test('usage is grouped by the metadata that its keys have, and keys without it are one group', async () => {
    const { group_by, buckets } = await usage('interval=month&group_by=metadata.tenant')
    assert.equal(group_by, 'metadata.tenant')
    assert.deepEqual(buckets.map(brief), [
      ['01', 'acme', 3, 14],
      ['01', "z'; drop table keys", 1, 100],
      ['01', null, 2, 21]
    ])
    assert.deepEqual((await usage('interval=month&group_by=metadata.team.name')).buckets.map(brief), [
      ['01', 'a', 2, 7],
      ['01', null, 4, 128]
    ])
  })

  await t.test('usage is grouped by who created the key, with names', async () => {
    const { buckets, members, keys: named } = await usage('interval=month&group_by=member')
    assert.deepEqual(
      new Map(buckets.map((bucket) => [bucket.member_id, Number(brief(bucket)[3])])),
      new Map([
        [ada.id, 34],
        [bob.id, 100],
        [null, 1]
      ])
    )
    const nameOf = async (id: string) => (await orm.select().from(users).where(eq(users.id, id)))[0]!.name
    assert.deepEqual(
      new Map(members?.map(({ id, name }) => [id, name])),
      new Map([
        [ada.id, await nameOf(ada.id)],
        [bob.id, await nameOf(bob.id)]
      ])
    )
    assert.equal(named, undefined)
  })

  await t.test('the groups below the top ones are summed together, and nothing is lost', async () => {
    const top = await usage('interval=day&group_by=key&top=2')
    assert.deepEqual(
      top.buckets.map(brief).sort(),
      [
        ['01', byBob, 1, 100],
        ['01', 'others', 3, 13],
        ['01', plain, 1, 20],
        ['02', 'others', 1, 2]
      ].sort()
    )
    assert.deepEqual(new Set(top.keys?.map(({ id }) => id)), new Set([byBob, plain]))
    assert.ok((await usage('interval=day&group_by=key&top=100')).buckets.every(({ others }) => others === undefined))
    assert.deepEqual((await usage('interval=month&group_by=none&top=1')).buckets.map(brief), [['01', null, 6, 135]])
  })

  await t.test('a report of one key, or of one model, has nothing else', async () => {
    assert.deepEqual((await usage(`interval=day&group_by=model&key=${acme}`)).buckets.map(brief), [
      ['01', 'small', 1, 5],
      ['02', 'large', 1, 2]
    ])
    assert.deepEqual((await usage('interval=day&model=large')).buckets.map(brief), [['02', null, 1, 2]])
    assert.deepEqual((await usage(`key=${theirs}`)).buckets, [])
  })

  await t.test('an unknown group, and an impossible number of groups, are refused with the reason', async () => {
    for (const [query, message] of [
      ['group_by=metadata', /^group_by: must be model, key, member, none, or metadata/],
      ['group_by=metadata.', /^group_by: /],
      [`group_by=metadata.${'x'.repeat(41)}`, /^group_by: /],
      ['group_by=account', /^group_by: /],
      ['top=0', /^top: must be a whole number from 1 to 100/],
      ['top=101', /^top: /]
    ] as const) {
      for (const path of ['', '/latency']) {
        const { status, body } = await call('GET', `/api/usage${path}?${query}`, { cookie: ada.cookie })
        assert.equal(status, 400, query)
        assert.match((body as { error: { message: string } }).error.message, message, query)
      }
    }
  })

  const second = Date.UTC(2026, 2, 10) / 1000
  const of = (seconds: number, firstByteMs: number, durationMs: number, changed: Partial<Receipt> = {}) =>
    receiptOf(ada.id, {
      at: second + seconds,
      key: acme,
      model: 'small',
      status: 200,
      firstByteMs,
      durationMs,
      ...changed
    })
  await addDays(orm, [second * 1000, (second + 86_400) * 1000])
  const days = { from: 0, to: Date.UTC(2027, 0), today: [0, 0] } as const
  await storeReceipts(
    orm,
    [
      // 20 requests of 10, 20, … 200 ms.
      ...Array.from({ length: 20 }, (_, index) => of(index, (index + 1) * 10, (index + 1) * 100)),
      of(86_400, 7, 9, { key: byBob, model: 'large' }),
      of(0, 1, 1, { status: 502, code: 'upstream_error' }),
      of(0, 1, 1, { status: 429, code: 'requests_per_minute', kind: 'refused' }),
      receiptOf(bob.id, { at: second, key: theirs, status: 200, firstByteMs: 5000, durationMs: 5000 })
    ],
    { kept: days }
  )
  const latency = (query: string) => get<UsageLatencyResponse>('/latency', `${march}&${query}`)

  await t.test('latency is measured for successful requests only, by day and over the range', async () => {
    assert.deepEqual(await latency('group_by=model'), {
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      interval: 'day',
      group_by: 'model',
      sampled: false,
      buckets: [
        {
          start: '2026-03-10T00:00:00.000Z',
          model: 'small',
          requests: 20,
          first_byte_ms: { p50: 100, p95: 190 },
          duration_ms: { p50: 1000, p95: 1900 }
        },
        {
          start: '2026-03-11T00:00:00.000Z',
          model: 'large',
          requests: 1,
          first_byte_ms: { p50: 7, p95: 7 },
          duration_ms: { p50: 9, p95: 9 }
        }
      ],
      totals: [
        {
          model: 'small',
          requests: 20,
          first_byte_ms: { p50: 100, p95: 190 },
          duration_ms: { p50: 1000, p95: 1900 }
        },
        { model: 'large', requests: 1, first_byte_ms: { p50: 7, p95: 7 }, duration_ms: { p50: 9, p95: 9 } }
      ]
    })
  })

  await t.test('latency has the groups and names of usage', async () => {
    const { totals, members } = await latency('group_by=member')
    assert.deepEqual(
      totals.map(({ member_id, requests }) => [member_id, requests]),
      [
        [ada.id, 20],
        [bob.id, 1]
      ]
    )
    assert.equal(members?.length, 2)
    const top = await latency('group_by=key&top=1')
    assert.deepEqual(
      top.totals.map(({ key_id, others, requests }) => [key_id, others, requests]),
      [
        [acme, undefined, 20],
        [undefined, true, 1]
      ]
    )
    assert.deepEqual(
      top.keys?.map(({ id }) => id),
      [acme]
    )
    for (const [query, requests] of [
      [`key=${acme}`, 20],
      ['model=large', 1],
      [`key=${acme}&model=large`, undefined]
    ] as const) {
      assert.equal((await latency(query)).totals[0]?.requests, requests, query)
    }
    assert.equal((await call('GET', '/api/usage/latency')).status, 401)
  })

  await t.test('a range with too many requests is sampled over all of its time, within its bound', async () => {
    const range = {
      from: new Date('2026-03-10T00:00:00Z'),
      to: new Date('2026-03-12T00:00:00Z'),
      interval: 'day'
    } as const
    const read = await readLatency(orm, ada.id, range, { groupBy: 'none', top: null }, 10, { maxRows: 8, slices: 4 })
    assert.equal(read?.sampled, true)
    assert.deepEqual(
      read.buckets.map(({ start, requests, first_byte_ms }) => [start.slice(8, 10), requests, first_byte_ms.p50]),
      [
        // The last two of the first half day.
        ['10', 2, 190],
        ['11', 1, 7]
      ]
    )
  })
})
