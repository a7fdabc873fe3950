import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { ask } from './ask.ts'
import { chatModel, planOf, prices } from './catalog.ts'
import { hasNoHolds, readCharges, sumUsage, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { hasWorked, producedNanos } from './produced.ts'
import { outcomesOf, startTraffic } from './traffic.ts'

const perSecond = 50
const looked = 25
/** Streams of about half a second: some are under way at every moment. */
const models = { paced: chatModel('x+pace-ms=10') }
const catalog = { models, plans: { free: planOf(models) } }
const body = { model: 'paced', stream: true, messages: [{ role: 'user', content: 'Say 40 words.' }] }
const away = '503 state_unavailable'

let fleet: Fleet
const program = findRedisServer(process.env)
t.before(async () => {
  if (program !== null) fleet = await startFleet({ gateways: 4, catalog })
})
t.teardown(() => fleet?.stop())
t.beforeEach(() => fleet?.models.clear())

/** Requests of an account that no other test has. */
async function startOwnTraffic() {
  const { records, urls } = fleet
  const account = await records.addAccount()
  const { secret } = await records.addKey(account)
  return { account, traffic: startTraffic(urls, perSecond, () => ({ secret, body })) }
}

t.test('connections to Redis that break at any moment lose no charge and make none twice', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { client } = records.link
  const { account, traffic } = await startOwnTraffic()
  for (let round = 0; round < 8; round++) {
    await traffic.next(1 + Math.floor(Math.random() * 10))
    for (const line of String(await client.client('LIST')).split('\n')) {
      const id = /^id=(\d+) .*name=tollgate-gateway/.exec(line)?.[1]
      // It may have gone by itself.
      if (id !== undefined) await client.client('KILL', 'ID', id).catch(() => null)
    }
  }
  const asked = await traffic.stop()
  t.same(outcomesOf(asked).toSorted(), ['200', away], 'nothing else was answered')
  const after = await untilCharges(records.link, account, hasNoHolds)
  const calls = fleet.models.requests().filter(hasWorked)
  const produced = producedNanos(calls, prices)
  t.match(after, { settled: produced, reserved: 0 })
  t.match(sumUsage(after), { requests: calls.length, costNanos: produced, estimatedRequests: 0, errors: 0 })
})

t.test('a Redis that is killed and comes back empty admits nothing until it is vouched for', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { account, traffic } = await startOwnTraffic()
  t.same(outcomesOf(await traffic.next(looked)), ['200'])

  await fleet.restartRedis()
  // Those under way are settled there, where nothing is known yet.
  t.same(outcomesOf(await traffic.next(looked)), [away])
  await records.link.ready()
  await delay(1000)
  t.same(outcomesOf(await traffic.next(looked)), [away], 'also once the gateways are connected')

  await records.replay()
  t.same(outcomesOf(await traffic.next(looked)), [away], 'also when all records are there')
  const vouchedFrom = performance.now()
  await records.vouch()
  let outcomes: string[]
  do outcomes = outcomesOf(await traffic.next(looked))
  while (outcomes.includes(away) && performance.now() < vouchedFrom + 10_000)
  t.same(outcomes, ['200'])
  t.same(outcomesOf(await traffic.stop()).toSorted(), ['200', away], 'nothing else was answered')

  const after = await untilCharges(records.link, account, hasNoHolds)
  t.equal(after.reserved, 0)
  const { costNanos: nanos } = sumUsage(after)
  t.ok(nanos <= producedNanos(fleet.models.requests(), prices), 'what Redis has lost is not charged twice')
  t.ok((await readCharges(records.link, account)).settled <= nanos)
})

t.test('a Redis that is full admits nothing, and what it refuses leaves nothing there', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records } = fleet
  const { client } = records.link
  const { account, traffic } = await startOwnTraffic()
  t.same(outcomesOf(await traffic.next(looked)), ['200'])
  await client.config('SET', 'maxmemory', '1')
  t.same(outcomesOf(await traffic.next(looked)), [away])
  await client.config('SET', 'maxmemory', '0')
  t.same(outcomesOf(await traffic.next(looked)), ['200'])
  await traffic.stop()
  const after = await untilCharges(records.link, account, hasNoHolds)
  const calls = fleet.models.requests().filter(hasWorked)
  t.match(after, { settled: producedNanos(calls, prices), reserved: 0 })
  // One for each that was refused would be more than were looked at. A busy machine may time out now and then.
  const left = await client.keys('gone:*')
  t.ok(left.length < looked / 5, `${left.length} of them left something`)
})

t.test('what Redis refused to settle is charged by the Redis that comes after it, which knows nothing', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { records, urls } = fleet
  const account = await records.addAccount()
  const { secret } = await records.addKey(account)
  const served = ask(urls[0]!, secret, body)
  await untilCharges(records.link, account, ({ holds }) => holds.length === 1)
  // As a master that has lost its replicas, before others take its place.
  await records.link.client.config('SET', 'min-replicas-to-write', '1')
  t.equal((await served).status, 200)
  // The first attempt, and some more. Right after one, for none may be under way when Redis ends: it would count as done.
  const refusals = async () =>
    Number(/errorstat_NOREPLICAS:count=(\d+)/.exec(await records.link.client.info('errorstats'))?.[1] ?? 0)
  while ((await refusals()) < 3) await delay(2)
  t.equal((await readCharges(records.link, account)).holds.length, 1)

  await fleet.restartRedis()
  await records.link.ready()
  await records.replay()
  await records.vouch()
  const produced = producedNanos(fleet.models.requests().filter(hasWorked), prices)
  const after = await untilCharges(records.link, account, ({ usage }) => usage.size > 0)
  t.match(sumUsage(after), { requests: 1, costNanos: produced })
  // Spend that is not seeded yet gets it from the ledger, into which control copies usage before.
  t.ok([0, produced].includes(after.settled), `${after.settled} is settled`)
})
