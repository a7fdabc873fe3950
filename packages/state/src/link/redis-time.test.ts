import assert from 'node:assert/strict'
import { moveClock } from '../testing/moved-clock.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { RedisAwayError, readRedisSkew, readRedisTime, skewOf } from './redis-link.ts'

const noon = Date.UTC(2027, 4, 5, 12)
const hourMs = 3_600_000

testOnEveryRedis('the time of Redis', async (t, anyLink) => {
  const { link, set } = moveClock(anyLink)
  link.nodes = () => [link]

  t.test('the time is read in milliseconds', async () => {
    await set((noon + 1.5) * 1000)
    assert.equal(await readRedisTime(link), noon + 1.5)
    const ms = Math.abs((await readRedisTime(anyLink)) - Date.now())
    assert.ok(ms < 60_000, 'the real time is wrong')
  })

  t.test('the skew is above 0 if Redis is ahead, below 0 if it is behind, and null while it is away', async () => {
    for (const skew of [hourMs, -70_000, 0]) {
      await set((noon + skew) * 1000)
      assert.equal(await readRedisSkew(link, () => noon), skew)
    }
    const away = () => {
      throw new RedisAwayError()
    }
    assert.equal(await readRedisSkew({ ...link, nodes: () => [{ ...link, run: away }] }, () => noon), null)
  })

  t.test('of several processes, the largest skew counts', async () => {
    const at = (time: number) => ({
      ...link,
      client: new Proxy(link.client, {
        get: (target, name) => (name === 'time' ? async () => [time / 1000, 0] : Reflect.get(target, name))
      })
    })
    const nodes = () => [at(noon + 1000), at(noon - hourMs), at(noon + 60_000)]
    assert.equal(await readRedisSkew({ ...link, nodes }, () => noon), -hourMs)
  })

  t.test('the skew does not include the time that reading takes', async () => {
    let own = noon
    const read = async () => {
      own += 1000
      return noon + 500
    }
    assert.equal(await skewOf(read, () => own), 0)
  })
})
