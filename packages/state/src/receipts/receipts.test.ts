import assert from 'node:assert/strict'
import { receiptsName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { aReceipt } from '../testing/one-account.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { encodeReceipt } from './receipt-text.ts'
import { droppedReceipts, forgetReceipts, noteReceipts, readReceipts } from './receipts.ts'

const shard = 'a1f'
const roomy = 1_000_000
const ofNumber = (number: number) => aReceipt({ id: `req_${String(number).padStart(6, '0')}`, costNanos: number })
const textOf = (number: number) => encodeReceipt(ofNumber(number))

testOnEveryRedis('receipts', async (t, anyLink, kind) => {
  const clock = moveClock(anyLink)
  const { link } = clock
  const ids = async (count = 10_000) =>
    (await readReceipts(link, shard, count)).entries.flatMap(({ receipts }) => receipts.map(({ id }) => id))

  /** Whether the next calls look up the size of the stream: those at a whole second do. */
  const looksUpSize = async (does: boolean) =>
    clock.set(Number((await anyLink.client.time())[0]) * 1e6 + (does ? 0 : 1))
  t.beforeEach(() => looksUpSize(true))

  t.test('receipts are read in the order in which they were written, until they are forgotten', async () => {
    assert.deepEqual(await readReceipts(link, shard, 10), { entries: [], malformed: [] })
    await noteReceipts(link, shard, [textOf(1), textOf(2)], roomy)
    await noteReceipts(link, shard, [textOf(3)], roomy)
    await noteReceipts(link, 'a20', [textOf(4)], roomy)
    const { entries, malformed } = await readReceipts(link, shard, 10)
    assert.deepEqual(malformed, [])
    assert.deepEqual(
      entries.map(({ receipts }) => receipts),
      [[ofNumber(1), ofNumber(2)], [ofNumber(3)]]
    )
    assert.deepEqual((await readReceipts(link, shard, 1)).entries, entries.slice(0, 1))
    await forgetReceipts(link, shard, entries[0]!.id)
    assert.deepEqual(await ids(), [ofNumber(3).id])
    await forgetReceipts(link, shard, entries[1]!.id)
    await forgetReceipts(link, shard, entries[0]!.id)
    assert.deepEqual(await ids(), [])
    await noteReceipts(link, shard, [textOf(5)], roomy)
    await forgetReceipts(link, shard, entries[1]!.id)
    assert.deepEqual(await ids(), [ofNumber(5).id], 'a repeated call forgets nothing more')
    assert.equal(await droppedReceipts(link), 0)
  })

  t.test('one account may take several shares while control copies, and memory stays bounded', async () => {
    const share = 2 * 1024
    for (let number = 0; number < 25; number++) {
      await noteReceipts(link, shard, [textOf(number)], share)
    }
    const bytesOf = (texts: number) => texts * textOf(1).length
    assert.ok(bytesOf(25) > 2 * share)
    assert.equal((await ids()).length, 25)
    assert.equal(await droppedReceipts(link), 0)
    // The in-memory Redis takes a hundred times as long.
    const numbers = Array.from({ length: kind === 'redis-server' ? 500 : 150 }, (_, number) => number)
    for (const number of numbers) {
      if (number % 16 < 2) await looksUpSize(number % 16 === 0)
      await noteReceipts(link, shard, [textOf(2 * number), textOf(2 * number + 1)], share)
    }
    const left = await ids()
    assert.deepEqual(left.at(-1), ofNumber(2 * numbers.length - 1).id)
    assert.deepEqual(left, [...new Set(left)].sort())
    assert.equal((await droppedReceipts(link)) + left.length, 25 + 2 * numbers.length)
    const bytes = bytesOf(left.length)
    assert.ok(bytes > 4 * share && bytes < 40 * share, `${bytes} bytes are left`)
  })

  t.test('a shard that nobody copies keeps to its share: the oldest receipts are dropped and counted', async () => {
    const share = 16 * 1024
    const [seconds] = await anyLink.client.time()
    const longAgoMs = (Number(seconds) - 60) * 1000
    const old = link.client.pipeline()
    for (let number = 0; number < 250; number++) {
      old.xadd(receiptsName(shard), `${longAgoMs}-${number + 1}`, 'r', textOf(number))
    }
    await old.exec()
    for (let number = 250; number < 500; number++) await noteReceipts(link, shard, [textOf(number)], share)
    const left = await ids()
    assert.deepEqual(left.at(-1), ofNumber(499).id)
    assert.equal((await droppedReceipts(link)) + left.length, 500)
    const bytes = left.length * textOf(1).length
    assert.ok(bytes > 0.3 * share && bytes < 6 * share, `${bytes} bytes are left`)
  })

  t.test('a name that something else has stops no call, and its receipts count as dropped', async () => {
    await link.client.set(receiptsName('a20'), 'not a stream')
    await noteReceipts(link, 'a20', [textOf(3), textOf(4)], roomy)
    assert.equal(await droppedReceipts(link), 2)
  })

  t.test('texts that are no receipts are reported, and their entry can be forgotten', async () => {
    await noteReceipts(link, shard, ['nonsense', textOf(1)], roomy)
    await link.client.xadd(receiptsName(shard), '*', 'another', '[]')
    const { entries, malformed } = await readReceipts(link, shard, 10)
    assert.deepEqual(
      entries.map(({ receipts }) => receipts.length),
      [1, 0]
    )
    assert.deepEqual(
      malformed.map(({ id }) => id),
      entries.map(({ id }) => id)
    )
    await forgetReceipts(link, shard, entries[1]!.id)
    assert.deepEqual(await readReceipts(link, shard, 10), { entries: [], malformed: [] })
  })

  t.test('every call fails at once while Redis is away', async () => {
    const run = () => {
      throw new RedisAwayError()
    }
    const away = { ...link, run, nodeOf: () => ({ ...link, run }) }
    for (const asking of [
      readReceipts(away, shard, 1),
      forgetReceipts(away, shard, '1-1'),
      droppedReceipts(away),
      noteReceipts(away, shard, [textOf(1)], roomy)
    ]) {
      await assert.rejects(asking, RedisAwayError)
    }
  })
})
