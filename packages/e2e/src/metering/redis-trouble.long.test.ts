import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { ask } from './ask.ts'
import { chatModel, planOf, prices } from './catalog.ts'
import { hasNoHolds, hasWorked, producedNanos, readCharges, sumUsage, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { outcomesOf, startTraffic } from './traffic.ts'

const perSecond = 50
const sampleSize = 25
/** Streams take about half a second, so some are open at every moment. */
const models = { paced: chatModel('x+pace-ms=10') }
const catalog = { models, plans: { free: planOf(models) } }
const body = { model: 'paced', stream: true, messages: [{ role: 'user', content: 'Say 40 words.' }] }
const unavailable = '503 state_unavailable'

let fleet: Fleet
const program = findRedisServer(process.env)
t.before(async () => {
  if (program !== null) fleet = await startFleet({ gateways: 4, catalog })
})
t.teardown(() => fleet?.stop())
t.beforeEach(() => fleet?.models.clear())

/** Sends requests of a new account. */
async function startOwnTraffic() {
  const { records, urls } = fleet
  const account = await records.addAccount()
  const { secret } = await records.addKey(account)
  return { account, traffic: startTraffic(urls, perSecond, () => ({ secret, body })) }
}

t.test('broken connections to Redis neither lose nor repeat a charge', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { client } = records.link
  const { account, traffic } = await startOwnTraffic()
  for (let round = 0; round < 8; round++) {
    await traffic.next(1 + Math.floor(Math.random() * 10))
    for (const line of String(await client.client('LIST')).split('\n')) {
      const id = /^id=(\d+) .*name=tollgate-gateway/.exec(line)?.[1]
      // The connection may have closed by itself.
      if (id !== undefined) await client.client('KILL', 'ID', id).catch(() => null)
    }
  }
  const requests = await traffic.stop()
  assert.deepEqual(outcomesOf(requests).toSorted(), ['200', unavailable], 'nothing else was answered')
  const after = await untilCharges(records.link, account, hasNoHolds)
  const calls = fleet.models.requests().filter(hasWorked)
  const produced = producedNanos(calls, prices)
  assert.partialDeepStrictEqual(after, { settled: produced, reserved: 0 })
  assert.partialDeepStrictEqual(sumUsage(after), {
    requests: calls.length,
    costNanos: produced,
    estimatedRequests: 0,
    errors: 0
  })
})

t.test('after Redis restarts empty, gateways refuse requests until it is verified', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { account, traffic } = await startOwnTraffic()
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), ['200'])

  await fleet.restartRedis()
  // Open requests settle in the empty Redis.
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), [unavailable])
  await records.link.ready()
  await delay(1000)
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), [unavailable], 'also when the gateways are connected')

  await records.replay()
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), [unavailable], 'also when all records are back')
  const verifiedAt = performance.now()
  await records.verify()
  let outcomes: string[]
  do outcomes = outcomesOf(await traffic.next(sampleSize))
  while (outcomes.includes(unavailable) && performance.now() < verifiedAt + 10_000)
  assert.deepEqual(outcomes, ['200'])
  assert.deepEqual(outcomesOf(await traffic.stop()).toSorted(), ['200', unavailable], 'nothing else was answered')

  const after = await untilCharges(records.link, account, hasNoHolds)
  assert.equal(after.reserved, 0)
  const { costNanos: nanos } = sumUsage(after)
  assert.ok(nanos <= producedNanos(fleet.models.requests(), prices), 'lost charges are not charged twice')
  assert.ok((await readCharges(records.link, account)).settled <= nanos)
})

t.test('while Redis is full, gateways refuse requests, and refusals leave no data in Redis', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { client } = records.link
  const { account, traffic } = await startOwnTraffic()
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), ['200'])
  await client.config('SET', 'maxmemory', '1')
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), [unavailable])
  await client.config('SET', 'maxmemory', '0')
  assert.deepEqual(outcomesOf(await traffic.next(sampleSize)), ['200'])
  await traffic.stop()
  const after = await untilCharges(records.link, account, hasNoHolds)
  const calls = fleet.models.requests().filter(hasWorked)
  assert.partialDeepStrictEqual(after, { settled: producedNanos(calls, prices), reserved: 0 })
  // One tombstone per refusal would be at least `sampleSize`. A busy machine may cause a few timeouts.
  const left = await client.keys('gone:*')
  assert.ok(left.length < sampleSize / 5, `${left.length} tombstones are left`)
})

t.test('a settlement that Redis refused is charged in the empty Redis that replaces it', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records, urls } = fleet
  const account = await records.addAccount()
  const { secret } = await records.addKey(account)
  const served = ask(urls[0]!, secret, body)
  await untilCharges(records.link, account, ({ holds }) => holds.length === 1)
  // Like a master without replicas before a failover.
  await records.link.client.config('SET', 'min-replicas-to-write', '1')
  assert.equal((await served).status, 200)
  // After six attempts the pause is half a second or more. Redis is killed as a pause begins, since an attempt in
  // flight would count as done.
  const refusals = async () =>
    Number(/errorstat_NOREPLICAS:count=(\d+)/.exec(await records.link.client.info('errorstats'))?.[1] ?? 0)
  while ((await refusals()) < 6) await delay(2)
  assert.equal((await readCharges(records.link, account)).holds.length, 1)
  const before = await refusals()
  while ((await refusals()) === before) await delay(2)
  await fleet.restartRedis()
  await records.link.ready()
  await records.replay()
  await records.verify()
  const produced = producedNanos(fleet.models.requests().filter(hasWorked), prices)
  const after = await untilCharges(records.link, account, ({ usage }) => usage.size > 0)
  assert.partialDeepStrictEqual(sumUsage(after), { requests: 1, costNanos: produced })
  // If the spend was not restored yet, it comes from the ledger later, so 0 is right too.
  assert.ok([0, produced].includes(after.settled), `settled ${after.settled}`)
})
