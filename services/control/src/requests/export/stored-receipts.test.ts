import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { requestExports } from '../../database/schema/requests.ts'
import { onDatabase, openMigratedDatabase } from '../../testing/databases.ts'
import { keptDays } from '../request-days.ts'
import { storeReceipts } from '../store-receipts.ts'
import { receiptOf } from '../testing/receipt-of.ts'
import { queueReceipts } from './export-queue.ts'
import { unpackReceipts } from './pack-receipts.ts'

onDatabase(
  'receipts that are new in the request log are exported once, and replaced ones again',
  async (t, newDatabase) => {
    const database = await openMigratedDatabase(await newDatabase())
    t.after(() => database.close())
    const { orm } = database
    const account = randomUUID()
    const reaped = receiptOf(account, { kind: 'reaped', status: null })
    const settled = { ...reaped, kind: 'settled', status: 200 } as const
    const other = receiptOf(account)
    const days = keptDays([Date.now()], 30)
    const store = (...receipts: Array<typeof other>) =>
      storeReceipts(orm, receipts, { kept: days, onStored: queueReceipts })
    await store(reaped, other)
    await store(reaped, other)
    await store(settled, other)
    await store(reaped)
    const rows = await orm.select().from(requestExports).orderBy(requestExports.id)
    const exported = await Promise.all(rows.map(({ receipts }) => unpackReceipts(receipts)))
    assert.deepEqual(exported, [[reaped, other], [settled]])
  }
)
