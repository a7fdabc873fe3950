import assert from 'node:assert/strict'
import { attemptsName } from '../keyspace/names.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { countAttempt, forgetAttempts, readAttempts } from './count-attempt.ts'

testOnEveryRedis('attempts', async (t, link) => {
  t.test('attempts are counted separately for each name, and from 1 again after the window', async () => {
    assert.deepEqual(await countAttempt(link, 'login:ip:a', 60_000), { attempts: 1, leftMs: 60_000 })
    const second = await countAttempt(link, 'login:ip:a', 60_000)
    assert.equal(second.attempts, 2)
    assert.ok(second.leftMs > 50_000 && second.leftMs <= 60_000)
    assert.equal((await countAttempt(link, 'login:ip:b', 60_000)).attempts, 1)
    await link.client.pexpire(attemptsName('login:ip:a'), 0)
    assert.equal((await countAttempt(link, 'login:ip:a', 60_000)).attempts, 1)
  })

  t.test('reading a counter counts nothing, and a forgotten one starts from zero', async () => {
    assert.deepEqual(await readAttempts(link, 'guess:a'), { attempts: 0, leftMs: 0 })
    await countAttempt(link, 'guess:a', 60_000)
    const read = await readAttempts(link, 'guess:a')
    assert.equal(read.attempts, 1)
    assert.ok(read.leftMs > 50_000 && read.leftMs <= 60_000)
    await forgetAttempts(link, 'guess:a')
    assert.equal((await countAttempt(link, 'guess:a', 60_000)).attempts, 1)
  })

  t.test('attempts at the same time are each counted once', async () => {
    const counts = await Promise.all(Array.from({ length: 20 }, () => countAttempt(link, 'login:ip:crowd', 60_000)))
    assert.deepEqual(
      counts.map(({ attempts }) => attempts).sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, number) => number + 1)
    )
  })

  t.test('a counter without an expiry gets one', async () => {
    await link.client.set(attemptsName('login:ip:c'), '7')
    assert.deepEqual(await countAttempt(link, 'login:ip:c', 1000), { attempts: 8, leftMs: 1000 })
    assert.ok((await link.client.pttl(attemptsName('login:ip:c'))) > 0)
  })
})
