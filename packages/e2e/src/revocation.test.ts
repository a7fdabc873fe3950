import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { Redis } from 'ioredis'
import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'

/** Pause between the requests of a client. Each gateway has three clients. */
const pauseMs = 30

/**
 * Revokes a key while every gateway is asked with it, a hundred times a second.
 *
 * @returns ms from the `{ ok: true }` to the start of the last accepted request at any gateway. Also the number of requests
 * answered before and after the revocation
 */
async function lastAcceptedAfterRevocation(system: TestSystem, person: Person, label: string) {
  const { id, value } = (await person.createKey(label)).body.key
  const clients = system.addresses.gateways.map((gateway) => openaiClient(gateway, value))
  for (const client of clients) await chatOutcome(client)
  let revokedAt = Number.POSITIVE_INFINITY
  let lastAccepted = 0
  const outcomes: string[] = []
  const asking = clients.flatMap((client) =>
    Array.from({ length: 3 }, async () => {
      // Longer than the promised time, to catch a gateway that is too late; and until enough requests were answered, on a slow machine.
      while (performance.now() < revokedAt + 6000 || outcomes.length <= 100) {
        const startedAt = performance.now()
        const outcome = await chatOutcome(client)
        if (outcome === '200') lastAccepted = Math.max(lastAccepted, startedAt)
        if (startedAt > revokedAt) outcomes.push(outcome)
        await delay(pauseMs)
      }
    })
  )
  const revoked = await person.revokeKey(id)
  revokedAt = performance.now()
  await Promise.all(asking)
  return { revoked, after: Math.max(0, lastAccepted - revokedAt), outcomes }
}

t.test('every gateway refuses a revoked key at once, with and without pub/sub', async (t) => {
  const system = await startTestSystem(t, { gateways: 2 })
  const ada = await new Person(system, 'ada').join('pro')
  const askAll = (value: string) =>
    Promise.all(system.addresses.gateways.map((gateway) => chatOutcome(openaiClient(gateway, value))))

  const withNotices = await lastAcceptedAfterRevocation(system, ada, 'with notices')
  assert.partialDeepStrictEqual(withNotices.revoked, { status: 200, body: { ok: true } })
  assert.equal(withNotices.after, 0, `last accepted ${withNotices.after} ms after the answer`)
  assert.deepEqual([...new Set(withNotices.outcomes)], ['401 revoked_api_key'])

  await t.test('every gateway refuses the old value of a rotated key once its grace was ended early', async () => {
    const old = (await ada.createKey('rotated')).body.key
    const path = `/api/keys/${old.id}`
    const rotated = await ada.call<{ key: { value: string } }>('POST', `${path}/rotate`, { grace_seconds: 3600 })
    assert.deepEqual(await askAll(old.value), ['200', '200'])
    assert.partialDeepStrictEqual(await ada.call('POST', `${path}/end-grace`), { status: 200, body: { ok: true } })
    assert.deepEqual(await askAll(old.value), ['401 revoked_api_key', '401 revoked_api_key'])
    assert.deepEqual(await askAll(rotated.body.key.value), ['200', '200'])
  })

  await t.test('every gateway refuses a paused key at once, and accepts it again once it is resumed', async () => {
    const { id, value } = (await ada.createKey('paused')).body.key
    const pause = (paused: boolean) => ada.call('PATCH', `/api/keys/${id}`, { paused })
    assert.deepEqual(await askAll(value), ['200', '200'])
    assert.equal((await pause(true)).status, 200)
    assert.deepEqual(await askAll(value), ['403 paused_api_key', '403 paused_api_key'])
    assert.equal((await pause(false)).status, 200)
    assert.deepEqual(await askAll(value), ['200', '200'])
  })

  // js-redis-server cannot revoke permissions.
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  // From here on no client may publish or subscribe.
  const redis = new Redis(system.addresses.redis)
  t.teardown(() => redis.disconnect())
  await redis.call('ACL', 'SETUSER', 'default', 'resetchannels')
  const withoutNotices = await lastAcceptedAfterRevocation(system, ada, 'without notices')
  assert.partialDeepStrictEqual(withoutNotices.revoked, { status: 200, body: { ok: true } })
  assert.equal(withoutNotices.after, 0, `last accepted ${withoutNotices.after} ms after the answer`)
  assert.deepEqual([...new Set(withoutNotices.outcomes)], ['401 revoked_api_key'])
})
