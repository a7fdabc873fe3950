import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { desc, eq } from 'drizzle-orm'
import type { Test } from 'tap'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { events } from '../database/schema/notices.ts'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { recordEvent } from '../events/record-event.ts'
import { unseal } from '../secrets/seal.ts'
import { testSealKey } from '../testing/control-options.ts'
import { type NewDatabase, onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { movedTime } from '../testing/moved-time.ts'
import { readNetwork } from './addresses.ts'
import { leaseMs } from './claim-deliveries.ts'
import { createDeliveryWorker, type WorkerOptions } from './delivery-worker.ts'
import { readQueueAge, redeliver } from './read-deliveries.ts'
import { createSendMessage } from './send-message.ts'
import { retryDelaysMs } from './store-attempt.ts'
import { createEndpoint, resealSecrets, rotateEndpoint } from './store-endpoint.ts'
import { type Receiver, startReceiver, verify } from './testing/start-receiver.ts'

const secretKeys = [testSealKey]
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function startWorld(t: Test, newDatabase: NewDatabase) {
  const databaseUrl = await newDatabase()
  const database = await openMigratedDatabase(databaseUrl)
  t.after(() => database.close())
  let movedMs = 0
  const clock: Clock = () => new Date(Date.now() + movedMs)
  const { orm } = database

  const world = {
    databaseUrl,
    database,
    orm,
    clock,
    passTime(ms: number) {
      movedMs += ms
    },
    worker: (options: Partial<WorkerOptions> = {}) =>
      createWorker(database, clock, { sharedTime: movedTime(() => movedMs), ...options }),
    async receiver(): Promise<Receiver> {
      const receiver = await startReceiver()
      t.after(() => receiver.close())
      return receiver
    },
    /** An endpoint of the operators: it needs no account. */
    add: (url: string, eventTypes: string[] | null = null) =>
      orm.transaction((tx) =>
        createEndpoint(tx, secretKeys, { accountId: null, url, description: '', eventTypes }, clock())
      ),
    /** @returns the id of the event */
    async happens(type: 'spend.unusual' | 'provider.failing' = 'spend.unusual', at = clock()): Promise<string> {
      const hour = at.toISOString()
      const recorded = await orm.transaction((tx) =>
        type === 'spend.unusual'
          ? recordEvent(tx, {
              type,
              accountId: null,
              at,
              data: { account_id: 'one', hour, spent_usd: '9.00', usual_usd: '1.00' }
            })
          : recordEvent(tx, {
              type,
              accountId: null,
              at,
              data: { upstream: 'openai', since: hour, requests: 9, failed: 9 }
            })
      )
      return recorded!.id
    },
    deliveryOf: async (eventId: string) => {
      const [delivery] = await orm.select().from(webhookDeliveries).where(eq(webhookDeliveries.eventId, eventId))
      return delivery!
    },
    endpoint: async (id: string) => {
      const [endpoint] = await orm.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
      return endpoint!
    },
    attempts: () => orm.select().from(webhookAttempts).orderBy(desc(webhookAttempts.id)),
    clear: () => orm.delete(webhookEndpoints)
  }
  return world
}

function createWorker(database: Database, clock: Clock, options: Partial<WorkerOptions>) {
  const allowedNetworks = [readNetwork('127.0.0.1/32')!]
  const timeouts = { connect: 30_000, total: 30_000, rest: 30_000 }
  return createDeliveryWorker({
    ...{
      database,
      secretKeys,
      rightClock: clock,
      log: silent,
      onAttempt: () => undefined,
      intervalMs: 20
    },
    send: createSendMessage({ allowedNetworks, findAddresses: async () => [], timeouts }),
    ...options
  })
}

onDatabase('webhook deliveries', async (t, newDatabase) => {
  const world = await startWorld(t, newDatabase)
  const { orm, passTime } = world

  await t.test(
    'a delivery whose worker is killed between the call and its mark is sent again, with the same id',
    async (t) => {
      // First, while the clocks of both processes agree. PGlite opens a database in one process only.
      if (!need(t, 'PostgreSQL', world.databaseUrl.startsWith('postgres') ? world.databaseUrl : null)) return
      const receiver = await world.receiver()
      receiver.answer(() => undefined)
      const { secret } = await world.add(receiver.url)
      const event = await world.happens()
      const program = fileURLToPath(new URL('testing/run-worker.ts', import.meta.url))
      const args = [program, world.databaseUrl, testSealKey.toString('base64')]
      const env = nodeVariables()
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
      await receiver.next()
      child.kill('SIGKILL')
      await once(child, 'close')
      const worker = world.worker()
      await worker.sendDue()
      assert.equal(receiver.received.length, 1, 'the lease of the dead worker holds')
      passTime(leaseMs)
      receiver.answer((response) => response.writeHead(204).end())
      await worker.sendDue()
      const [first, second] = receiver.received
      assert.deepEqual([first!.id, second!.id, receiver.received.length], [event, event, 2])
      assert.equal(first!.body, second!.body)
      assert.deepEqual(verify(secret, second!), verify(secret, first!))
      assert.equal((await world.deliveryOf(event)).status, 'delivered')
      await world.clear()
    }
  )

  await t.test('a replica with a wrong clock signs messages with the right time', async () => {
    const receiver = await world.receiver()
    const { secret } = await world.add(receiver.url)
    await world.happens()
    const worker = world.worker({
      sharedTime: movedTime(() => 3_600_000),
      rightClock: () => new Date()
    })
    await worker.sendDue()
    verify(secret, receiver.received[0]!)
    await world.clear()
  })

  await t.test('replicas whose clocks are minutes apart send each message once, and without a delay', async () => {
    const ahead: Clock = () => new Date(Date.now() + 300_000)
    const receiver = await world.receiver()
    const { endpoint } = await world.add(receiver.url)
    let finish = (): void => undefined
    receiver.answer((response) => {
      finish = () => response.writeHead(204).end()
    })
    const event = await world.happens('spend.unusual', ahead())
    const one = world.worker()
    const sent = one.sendDue()
    await receiver.next()
    await world.worker({ rightClock: ahead }).sendDue()
    assert.equal(receiver.received.length, 1, 'the lease holds for a replica that is ahead')
    finish()
    await sent
    receiver.answer((response) => response.writeHead(204).end())
    const { id } = await world.deliveryOf(event)
    await redeliver(orm, endpoint.id, id, ahead())
    await world.worker().sendDue()
    assert.equal(receiver.received.length, 2, 'a redelivery that a replica ahead has asked for is due at once')
    await world.clear()
  })

  await t.test('messages are late only if they wait for an endpoint that works', async () => {
    const receiver = await world.receiver()
    const { endpoint } = await world.add(receiver.url)
    assert.equal(await readQueueAge(orm), 0)
    const ids = [await world.happens(), await world.happens()]
    const [first, second] = ids.map((id) => eq(webhookDeliveries.eventId, id))
    const due = (seconds: number) => ({ dueAt: new Date(Date.now() - seconds * 1000) })
    await orm.update(webhookDeliveries).set(due(600)).where(first)
    await orm.update(webhookDeliveries).set(due(60)).where(second)
    const age = await readQueueAge(orm)
    assert.ok(age >= 600 && age < 700, String(age))
    const broken = await world.add(receiver.url)
    await world.happens()
    await orm.update(webhookDeliveries).set(due(3600)).where(eq(webhookDeliveries.endpointId, broken.endpoint.id))
    const ofBroken = eq(webhookEndpoints.id, broken.endpoint.id)
    await orm.update(webhookEndpoints).set({ failingSince: new Date() }).where(ofBroken)
    assert.ok((await readQueueAge(orm)) < 700)
    await orm.delete(webhookEndpoints).where(eq(webhookEndpoints.id, endpoint.id))
    assert.equal(await readQueueAge(orm), 0)
    await world.clear()
  })

  await t.test('an event reaches each endpoint that wants its type, once, with a signature', async () => {
    const [all, some] = [await world.receiver(), await world.receiver()]
    const { secret } = await world.add(all.url)
    await world.add(some.url, ['provider.failing'])
    const [spend, failing] = [await world.happens('spend.unusual'), await world.happens('provider.failing')]
    const outcomes: string[] = []
    const worker = world.worker({ onAttempt: (outcome) => void outcomes.push(outcome) })
    await worker.sendDue()
    await worker.sendDue()
    assert.deepEqual(all.received.map(({ id }) => id).sort(), [spend, failing].sort())
    assert.deepEqual(
      some.received.map(({ id }) => id),
      [failing]
    )
    const message = all.received.find(({ id }) => id === spend)!
    const payload = verify(secret, message)
    const [event] = await orm.select().from(events).where(eq(events.id, spend))
    assert.deepEqual(payload, { type: 'spend.unusual', timestamp: event!.at.toISOString(), data: event!.data })
    assert.throws(() => verify(secret, { ...message, body: message.body.replace('9.00', '8.00') }), /signature/)
    assert.deepEqual(outcomes, ['delivered', 'delivered', 'delivered'])
    await world.clear()
  })

  await t.test('after a rotation, both secrets verify until the overlap ends', async () => {
    const receiver = await world.receiver()
    const { endpoint, secret: old } = await world.add(receiver.url)
    const { secret } = await orm.transaction((tx) => rotateEndpoint(tx, secretKeys, endpoint, 60, world.clock()))
    await world.happens()
    await world.worker().sendDue()
    for (const one of [old, secret]) assert.equal(verify(one, receiver.received[0]!).type, 'spend.unusual')
    passTime(61_000)
    await world.happens()
    await world.worker().sendDue()
    verify(secret, receiver.received[1]!)
    assert.throws(() => verify(old, receiver.received[1]!), /signature/)
    await world.clear()
  })

  await t.test(
    'failed tries are repeated by schedule; after a day the endpoint is turned off, and an event says so',
    async () => {
      const [dead, other] = [await world.receiver(), await world.receiver()]
      dead.answer((response) => response.writeHead(500).end('secret text of the receiver'))
      const { endpoint } = await world.add(dead.url)
      await world.add(other.url, ['webhook.disabled'])
      const event = await world.happens()
      const worker = world.worker()
      for (let tries = 1; tries <= retryDelaysMs.length; tries++) {
        await worker.sendDue()
        assert.equal(dead.received.length, tries)
        const { dueAt, retries, status } = await world.deliveryOf(event)
        assert.deepEqual([retries, status], [tries, 'pending'])
        passTime(dueAt!.getTime() - world.clock().getTime())
      }
      const waiting = await world.happens()
      await worker.sendDue()
      assert.ok(dead.received.every(({ id }) => id === event || id === waiting))
      assert.equal((await world.deliveryOf(event)).status, 'failed')
      assert.equal((await world.deliveryOf(waiting)).status, 'failed', 'what waits is given up')
      const { disabledReason } = await world.endpoint(endpoint.id)
      assert.equal(disabledReason, 'failing')
      const [told] = other.received
      const data = { url: dead.url, endpoint_id: endpoint.id }
      assert.deepEqual(JSON.parse(told!.body).data, data)
      assert.equal(other.received.length, 1)
      const count = dead.received.length
      await world.happens()
      await worker.sendDue()
      assert.equal(dead.received.length, count, 'it gets nothing more')
      const errors = new Set((await world.attempts()).map(({ error }) => error))
      assert.deepEqual([...errors].sort(), [null, 'The receiver answered 500 instead of 2xx.'].sort())
      await world.clear()
    }
  )

  await t.test('410 turns an endpoint off at once', async () => {
    const receiver = await world.receiver()
    receiver.answer((response) => response.writeHead(410).end())
    const { endpoint } = await world.add(receiver.url)
    await world.happens()
    await world.worker().sendDue()
    assert.equal((await world.endpoint(endpoint.id)).disabledReason, 'gone')
    await world.clear()
  })

  await t.test('a receiver that does not answer holds up no other, and takes few calls at once', async () => {
    const [slow, fast] = [await world.receiver(), await world.receiver()]
    slow.answer(() => undefined)
    await world.add(slow.url)
    await world.add(fast.url)
    for (let count = 0; count < 30; count++) await world.happens()
    const worker = world.worker()
    worker.start()
    while (fast.received.length < 30) await fast.next()
    assert.ok(slow.received.length <= 4, String(slow.received.length))
    await worker.stop()
    await world.clear()
  })

  await t.test(
    'a call that control ends when it stops is repeated at once by another replica, and counts as no try',
    async () => {
      const receiver = await world.receiver()
      receiver.answer(() => undefined)
      await world.add(receiver.url)
      const event = await world.happens()
      const before = (await world.attempts()).length
      const [one, two] = [world.worker(), world.worker()]
      one.start()
      await receiver.next()
      await one.stop()
      receiver.answer((response) => response.writeHead(200).end())
      await two.sendDue()
      assert.deepEqual(
        receiver.received.map(({ id }) => id),
        [event, event]
      )
      assert.equal((await world.attempts()).length, before + 1)
      await world.clear()
    }
  )

  await t.test(
    'a key of SECRETS_KEY is replaced: secrets are encrypted anew, and a lost key is a failure with words',
    async () => {
      const receiver = await world.receiver()
      const { endpoint, secret } = await world.add(receiver.url)
      const next = Buffer.alloc(32, 9)
      assert.deepEqual(await resealSecrets(orm, [next, ...secretKeys]), { resealed: 1, unreadable: 0 })
      assert.deepEqual(await resealSecrets(orm, [next, ...secretKeys]), { resealed: 0, unreadable: 0 })
      assert.equal(unseal([next], endpoint.id, (await world.endpoint(endpoint.id)).secret), secret)
      assert.deepEqual(await resealSecrets(orm, secretKeys), { resealed: 0, unreadable: 1 })
      await world.happens()
      await world.worker().sendDue()
      assert.equal(receiver.received.length, 0)
      assert.match((await world.attempts())[0]!.error!, /secret cannot be read/)
      await world.clear()
    }
  )
})
