import assert from 'node:assert/strict'
import type { AdminReceiptsResponse } from '@tollgate/contracts/http/admin/ledger.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { keptDays } from '../requests/request-days.ts'
import { storeReceipts } from '../requests/store-receipts.ts'
import { receiptOf } from '../requests/testing/receipt-of.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { foldLedger } from '../usage/fold-ledger.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyUsage } from '../usage/usage-copier.ts'

const hour = 3600
const dayMs = 86_400_000

onDatabase('receipts and the ledger', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { redis } = control
  const { orm } = control.database
  const ada = await control.signUp()
  const { cookie } = await control.signUpOperator()
  const days = keptDays([Date.now()], 30)
  const now = Math.floor(Date.now() / 1000 / hour) * hour
  await addLedgerMonths(orm, new Date(now * 1000), new Date(now * 1000 - 20 * dayMs))
  const compare = async (): Promise<AdminReceiptsResponse['receipts']> => {
    const pages: Array<AdminReceiptsResponse['receipts']> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = cursor === '' ? '' : `?cursor=${cursor}`
      const answer = await control.call('GET', `/api/admin/ledger/receipts${query}`, { cookie })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const body = answer.body as AdminReceiptsResponse
      pages.push(body.receipts)
      cursor = body.next_cursor
    }
    const sum = (name: 'requests' | 'folded_days' | 'differing') => pages.reduce((total, page) => total + page[name], 0)
    const differences = pages.flatMap((page) => page.differences)
    const sums = { requests: sum('requests'), folded_days: sum('folded_days'), differing: sum('differing') }
    return { ...pages.at(-1)!, ...sums, differences }
  }
  const copy = () => copyUsage(createPostgresLedger(orm), redis, 'changed')
  /** A request in the ledger, and its receipt. */
  const served = async (at: number) => {
    const { costNanos, promptTokens, completionTokens } = await serve(redis, ada.id, { at })
    return receiptOf(ada.id, { at, costNanos, promptTokens, completionTokens })
  }

  await t.test('an empty log is not compared', async () => {
    const { started_at, differences } = await compare()
    assert.deepEqual([started_at, differences], [null, []])
  })

  await t.test(
    'they agree about served, refused and cancelled requests, and hours that were folded into days',
    async () => {
      const first = now - 11 * 24 * hour
      const receipts = [
        await served(first),
        await served(first + 30 * hour),
        await served(first + 31 * hour),
        await served(now - hour)
      ]
      await copy()
      const none = { promptTokens: 0, completionTokens: 0, costNanos: 0 }
      receipts.push(
        receiptOf(ada.id, { at: now, kind: 'refused', count: 9, ...none }),
        receiptOf(ada.id, { at: now, kind: 'cancelled', ...none })
      )
      await storeReceipts(orm, receipts, { kept: days })
      for (let round = 0; round < 2; round++) await foldLedger(orm, { hoursKeptDays: 5, monthsKept: null }, new Date())
      const compared = await compare()
      assert.deepEqual(compared.differences, [])
      assert.ok(compared.folded_days >= 4, String(compared.folded_days))
      // The first day began before the log, so it is not compared.
      assert.equal(compared.requests, new Date(first * 1000).getUTCHours() === 0 ? 4 : 3)
    }
  )

  await t.test('a receipt that waits in Redis is a normal difference, and a missing one is not', async () => {
    const receipt = await served(now)
    await copy()
    await noteReceipts(redis, accountShard(ada.id), [encodeReceipt(receipt)], 1_000_000)
    const waiting = await compare()
    assert.deepEqual(
      waiting.differences.map((one) => [one.account_id, one.ledger_requests - one.receipt_requests, one.reason]),
      [[ada.id, 1, 'not_copied_yet']]
    )
    await redis.client.flushall()
    const missing = await compare()
    assert.deepEqual([missing.differing, missing.differences[0]!.reason], [1, 'receipts_missing'])
    await storeReceipts(orm, [receipt, receiptOf(ada.id, { at: now })], { kept: days })
    assert.equal((await compare()).differences[0]!.reason, 'receipts_more')
  })
})
