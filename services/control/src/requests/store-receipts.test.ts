import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { queryRows } from '../database/connect.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { dayMs, keptDays, listDays, maintainDays } from './request-days.ts'
import { storeReceipts } from './store-receipts.ts'
import { receiptOf } from './testing/receipt-of.ts'

const noon = Date.parse('2026-11-23T12:00:00Z')
const span = keptDays([noon], 30)
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

onEachDatabase('the request log', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  const account = randomUUID()
  const at = noon / 1000
  const read = (id: string) =>
    queryRows<{ rank: number; cost: string }>(
      orm,
      sql`select rank::int, cost_nanos::text as cost from requests where id = ${id.slice(4)}::uuid`
    )

  await t.test('whatever order and copies receipts come in, the highest kind of a request is stored once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ request: fc.nat(2), kind: fc.constantFrom(...receiptKinds) }), {
          minLength: 1,
          maxLength: 8
        }),
        fc.array(fc.nat(3), { maxLength: 3 }),
        async (made, cuts) => {
          const ids = [0, 1, 2].map(() => `req_${randomUUID()}`)
          const receipts = made.map(
            ({ request, kind }): Receipt =>
              receiptOf(account, { id: ids[request]!, at, kind, costNanos: receiptKinds.indexOf(kind) })
          )
          // Some are stored again, as after a crash before they were forgotten.
          for (const batch of [receipts, ...cuts.map((cut) => receipts.slice(cut))])
            await storeReceipts(orm, batch, { kept: span })
          for (const [request, id] of ids.entries()) {
            const ranks = made.filter((one) => one.request === request).map(({ kind }) => receiptKinds.indexOf(kind))
            const highest = Math.max(...ranks)
            const expected = ranks.length === 0 ? [] : [{ rank: highest, cost: String(highest) }]
            assert.deepEqual(await read(id), expected)
          }
        }
      ),
      { numRuns: 15, seed: 21 }
    )
  })

  await t.test('receipts that cannot be stored are counted, and do not keep out the others', async () => {
    const good = receiptOf(account, { at, model: `a\0b\ud800${'x'.repeat(1000)}`, address: '203.0.113.9' })
    const { skipped } = await storeReceipts(
      orm,
      [
        receiptOf(account, { at, id: 'req_1' }),
        receiptOf(account, { at, promptTokens: 2 ** 40 }),
        receiptOf(account, { at: at - 32 * 86_400 }),
        receiptOf(account, { at: at + 4 * 86_400 }),
        good
      ],
      { kept: span, malformed: 2 }
    )
    assert.deepEqual(skipped, { malformed: 4, old: 1, ahead: 1 })
    assert.equal((await read(good.id)).length, 1)
    const [log] = await queryRows(
      orm,
      sql`select skipped::int, started_at <= to_timestamp(${at}) as started from request_log`
    )
    assert.deepEqual(log, { skipped: 6, started: true })
  })

  await t.test('days are added when they are needed and ahead of time, and dropped after the retention', async () => {
    await storeReceipts(orm, [receiptOf(account, { at: at - 29 * 86_400 })], { kept: span })
    assert.ok((await listDays(orm)).map(dayOf).includes('2026-10-25'))
    assert.deepEqual(await maintainDays(orm, span), [])
    const later = keptDays([noon + 5 * dayMs], 30)
    assert.deepEqual(await maintainDays(orm, later), ['2026-10-25'])
    const days = (await listDays(orm)).map(dayOf)
    assert.equal(days.at(-1), '2026-11-30')
    // With clocks that differ, nothing is dropped early, and receipts of both days find a partition.
    const differing = keptDays([noon, noon + 300 * dayMs], 30)
    assert.deepEqual(await maintainDays(orm, differing), [])
    assert.ok((await listDays(orm)).map(dayOf).includes(dayOf(noon + 300 * dayMs)))
    assert.equal(differing.from, span.from)
  })

  await t.test('a hook gets what is new in the same transaction, and its failure stores nothing', async () => {
    const receipt = receiptOf(account, { at })
    const failing = storeReceipts(orm, [receipt], {
      kept: span,
      onStored: async () => {
        throw new Error('no')
      }
    })
    await assert.rejects(failing, /no/)
    assert.deepEqual(await read(receipt.id), [])
    const seen: string[][] = []
    const onStored = async (_tx: unknown, receipts: readonly Receipt[]) => void seen.push(receipts.map(({ id }) => id))
    const other = receiptOf(account, { at })
    await storeReceipts(orm, [receipt], { kept: span, onStored })
    await storeReceipts(orm, [receipt, other], { kept: span, onStored })
    await storeReceipts(orm, [receipt, other], { kept: span, onStored })
    assert.deepEqual(seen, [[receipt.id], [other.id]])
  })
})
