import assert from 'node:assert/strict'
import { servedName } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { maxReportRows, readServed, type ServedRows } from '@tollgate/state/served/served.ts'
import { noneServed, type ServedRow } from '@tollgate/state/served/served-row.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { createServedReporter } from './served-reporter.ts'

const [hour, hourMs] = [500_000, 3_600_000]

testOnEveryRedis('reports of what a gateway measured', async (t, link) => {
  let measured: Record<string, [successes: number, failures: number]> = {}
  let at = hour * hourMs
  const errors: Error[] = []

  /** A reporter that measures `measured` once, by the clock `at`. */
  function reporterOf(redis: RedisNode) {
    const servedSince = (): ServedRows => {
      const rows = Object.entries(measured).map(([model, [successes, failures]]): [string, ServedRow] => [
        model,
        { ...noneServed(), successes, failures }
      ])
      measured = {}
      return new Map(rows)
    }
    return createServedReporter({
      redis,
      servedSince,
      onError: (error) => void errors.push(error),
      now: () => at
    })
  }

  /** What Redis has of an hour: `model successes/failures`. */
  async function stored(ofHour = hour): Promise<string[]> {
    const [rows] = await readServed(link, [ofHour])
    return [...rows!].map(([model, { successes, failures }]) => `${model} ${successes}/${failures}`).toSorted()
  }

  t.beforeEach(() => {
    errors.length = 0
    at = hour * hourMs
  })

  t.test('a report whose acknowledgement is lost counts once, and what follows it is added', async () => {
    let isLosing = true
    const client = new Proxy(link.client, {
      get(target, name) {
        if (name !== 'tgAddServed') return Reflect.get(target, name)
        return async (...args: Parameters<typeof target.tgAddServed>) => {
          await target.tgAddServed(...args)
          if (isLosing) throw new Error('Connection is closed.')
        }
      }
    })
    const losing: RedisNode = { ...link, client, nodeOf: () => losing }
    const reporter = reporterOf(losing)
    measured = { small: [3, 1] }
    await reporter.report()
    measured = { small: [1, 0], large: [1, 0] }
    await reporter.report()
    assert.deepEqual(await stored(), ['small 3/1'])
    assert.equal(errors.length, 1, 'once per outage')
    isLosing = false
    await reporter.report()
    assert.deepEqual(await stored(), ['large 1/0', 'small 4/1'])
    await reporter.stop()
    assert.deepEqual(await stored(), ['large 1/0', 'small 4/1'])
  })

  t.test('while Redis is away or refuses, counts gather in their hours, for a day', async () => {
    let isReady = false
    const reporter = reporterOf({ ...link, isReady: () => isReady })
    for (const [hours, successes] of [
      [0, 1],
      [2, 2],
      [2, 3],
      [25, 4]
    ] as const) {
      at = (hour + hours) * hourMs
      measured = { small: [successes, 0] }
      await reporter.report()
    }
    isReady = true
    await link.client.set(servedName(hour + 2), 'no hash')
    await reporter.report()
    assert.equal(errors.length, 1)
    assert.deepEqual(await stored(hour + 25), [])
    await link.client.del(servedName(hour + 2))
    await reporter.report()
    assert.deepEqual(await Promise.all([0, 2, 25].map((hours) => stored(hour + hours))), [
      [],
      ['small 5/0'],
      ['small 4/0']
    ])
  })

  t.test('any number of models is reported, and each process by itself', async () => {
    const models = Array.from({ length: 2 * maxReportRows + 1 }, (_, number) => `model-${number}`)
    for (const reporter of [reporterOf(link), reporterOf(link)]) {
      measured = Object.fromEntries(models.map((model) => [model, [1, 0]]))
      await reporter.stop()
    }
    assert.deepEqual(await stored(), models.map((model) => `${model} 2/0`).toSorted())
  })
})
