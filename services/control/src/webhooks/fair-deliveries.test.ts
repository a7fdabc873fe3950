import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eq, isNotNull, sql } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { events } from '../database/schema/notices.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { recordEvent } from '../events/record-event.ts'
import { recordChange } from '../projection/record-change.ts'
import { testSealKey } from '../testing/control-options.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import type { CallResult } from './send-message.ts'
import { storeAttempt } from './store-attempt.ts'
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
    ...{
      database,
      secretKeys: [testSealKey],
      rightClock: now,
      log: silent,
      onAttempt: () => undefined,
      intervalMs: 20
    },
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
  for (let count = 0; count < 4; count++) hangers.push(await addAccount('hangs', 20))
  for (let count = 0; count < 6; count++) await Promise.all(hangers.map(happens))
  const own = await addAccount('works', 1)
  worker.start()

  await t.test(
    'new endpoints that hang leave half of the places, and their accounts get free ones in turn',
    async () => {
      await until(() => hanging.size === 64)
      await happens(own)
      await delay(100)
      const before = calls.length
      assert.equal(served(), 0)
      const [fail] = hanging.keys()
      fail!(timedOut)
      // An account with no call under way comes before older messages of others.
      await until(() => calls.length > before)
      assert.equal(calls[before], 'works')
    }
  )

  await t.test('an endpoint that was quick waits for none of them', async () => {
    await until(() => hanging.size === 64)
    await happens(own)
    await until(() => served() === 2)
    assert.equal(hanging.size, 64)
  })

  await t.test('an endpoint that takes its messages slowly is not quick', async () => {
    const slow = await addAccount('slow', 1)
    await happens(slow)
    const isSlow = eq(webhookEndpoints.accountId, slow)
    const [endpoint] = await orm.select().from(webhookEndpoints).where(isSlow)
    for (const [tookMs, isQuick] of [
      [10_000, false],
      [100, true],
      [10_000, false]
    ] as const) {
      const [delivery] = await orm
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.endpointId, endpoint!.id))
      const [event] = await orm.select().from(events).where(eq(events.id, delivery!.eventId))
      const attempt = { result: delivered, startedAt: now(), tookMs }
      await storeAttempt(orm, { delivery: delivery!, endpoint: endpoint!, event: event! }, attempt)
      assert.partialDeepStrictEqual(await orm.select().from(webhookEndpoints).where(isSlow), [{ isQuick }])
    }
  })

  await t.test('endpoints that fail leave places to those that work, also in the same account', async () => {
    for (let count = 0; count < 19; count++) await addEndpoint(own, `https://hangs/own/${count}`)
    await happens(own)
    // Until every endpoint that hangs has failed once, and then no call ends.
    const isFailing = sql`${webhookEndpoints.failingSince} is not null`
    while ((await orm.$count(webhookEndpoints, isFailing)) < 4 * 20 + 19) {
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
