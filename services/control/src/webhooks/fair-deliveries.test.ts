import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isNotNull, sql } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { recordEvent } from '../events/record-event.ts'
import { recordChange } from '../projection/record-change.ts'
import { testSealKey } from '../testing/control-options.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import type { CallResult } from './send-message.ts'
import { createEndpoint } from './store-endpoint.ts'

const timedOut: CallResult = { outcome: 'timeout', status: null, error: 'The receiver did not answer.' }
const delivered: CallResult = { outcome: 'delivered', status: 204, error: null }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

onEachDatabase('webhooks of accounts whose receivers hang', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  const now = () => new Date()

  const addEndpoint = (accountId: string, url: string) =>
    orm.transaction((tx) =>
      createEndpoint(tx, [testSealKey], { accountId, url, description: '', eventTypes: null }, now())
    )
  const happens = (accountId: string) =>
    orm.transaction((tx) =>
      recordEvent(tx, { type: 'plan.changed', accountId, at: now(), data: { from: null, to: 'pro' } })
    )
  async function addAccount(host: string, endpoints: number): Promise<string> {
    const id = randomUUID()
    await orm.transaction(async (tx) => {
      const version = await recordChange(tx, ['a00'])
      await tx.insert(accounts).values({ id, ownerId: id, plan: 'pro', shard: 'a00', version, createdAt: now() })
    })
    for (let count = 0; count < endpoints; count++) await addEndpoint(id, `https://${host}/${count}`)
    return id
  }

  const hanging = new Set<(result: CallResult) => void>()
  const calls: string[] = []
  const worker = createDeliveryWorker({
    ...{ database, secretKeys: [testSealKey], clock: now, log: silent, onAttempt: () => undefined, intervalMs: 20 },
    send: ({ host }, _headers, _body, stopping) => {
      calls.push(host)
      if (host === 'works') return Promise.resolve(delivered)
      const { promise, resolve } = Promise.withResolvers<CallResult>()
      hanging.add(resolve)
      promise.finally(() => hanging.delete(resolve))
      stopping.addEventListener('abort', () => resolve(timedOut))
      return promise
    }
  })
  t.after(() => worker.stop())
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await delay(5)
  }
  const served = () => calls.filter((host) => host === 'works').length

  const hangers: string[] = []
  for (let count = 0; count < 8; count++) hangers.push(await addAccount('hangs', 20))
  for (let count = 0; count < 6; count++) await Promise.all(hangers.map(happens))
  const own = await addAccount('works', 1)
  worker.start()

  await t.test(
    'an account with no call under way gets the next free place, before older messages of others',
    async () => {
      await until(() => hanging.size === 128)
      await happens(own)
      await delay(100)
      const before = calls.length
      const [fail] = hanging.keys()
      fail!(timedOut)
      await until(() => calls.length > before)
      assert.equal(calls[before], 'works')
    }
  )

  await t.test('endpoints that fail leave places to those that work, also in the same account', async () => {
    for (let count = 0; count < 19; count++) await addEndpoint(own, `https://hangs/own/${count}`)
    await happens(own)
    // Until every endpoint that hangs has failed once, and then no call ends.
    const isFailing = sql`${webhookEndpoints.failingSince} is not null`
    while ((await orm.$count(webhookEndpoints, isFailing)) < 8 * 20 + 19) {
      for (const fail of hanging.keys()) fail(timedOut)
      await delay(20)
    }
    await orm.update(webhookDeliveries).set({ dueAt: now() }).where(isNotNull(webhookDeliveries.dueAt))
    await until(() => hanging.size === 64)
    const before = served()
    await happens(own)
    await until(() => served() > before)
    assert.ok(hanging.size <= 64, String(hanging.size))
  })
})
