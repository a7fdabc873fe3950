import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { Person, withoutNotices } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'

/** Pause between the requests of a client. Each gateway has two clients. */
const pauseMs = 20
/** Answers of each client to requests that it sent after the revocation. */
const answersAfter = 15

let system: TestSystem
let ada: Person
t.before(async () => {
  system = await sharedSystem()
  ada = await new Person(system, 'ada').join('enterprise')
})

const askAll = (value: string) =>
  Promise.all(system.addresses.gateways.map((gateway) => chatOutcome(openaiClient(gateway, value))))

/**
 * Revokes a key while every gateway is asked with it. Asserts that no request is served that began after the `{ ok:
 * true }`.
 */
async function assertRefusedAtOnce(label: string): Promise<void> {
  const { id, value } = (await ada.createKey(label)).body.key
  assert.deepEqual(await askAll(value), ['200', '200'])
  let isRevoked = false
  const after: string[] = []
  const asking = [...system.addresses.gateways, ...system.addresses.gateways].map(async (gateway) => {
    const client = openaiClient(gateway, value)
    for (let answers = 0; answers < answersAfter; ) {
      const beganAfter = isRevoked
      const outcome = await chatOutcome(client)
      if (beganAfter) {
        after.push(outcome)
        answers++
      }
      await delay(pauseMs)
    }
  })
  const revoked = await ada.revokeKey(id)
  isRevoked = true
  await Promise.all(asking)
  assert.partialDeepStrictEqual(revoked, { status: 200, body: { ok: true } })
  assert.deepEqual([...new Set(after)], ['401 revoked_api_key'])
}

t.test('every gateway refuses a revoked key at once', () => assertRefusedAtOnce('with notices'))

t.test('every gateway refuses the old value of a rotated key once its grace was ended early', async () => {
  const old = (await ada.createKey('rotated')).body.key
  const path = `/api/keys/${old.id}`
  const rotated = await ada.call<{ key: { value: string } }>('POST', `${path}/rotate`, { grace_seconds: 3600 })
  assert.deepEqual(await askAll(old.value), ['200', '200'])
  assert.partialDeepStrictEqual(await ada.call('POST', `${path}/end-grace`), { status: 200, body: { ok: true } })
  assert.deepEqual(await askAll(old.value), ['401 revoked_api_key', '401 revoked_api_key'])
  assert.deepEqual(await askAll(rotated.body.key.value), ['200', '200'])
})

t.test('every gateway refuses a paused key at once, and accepts it again once it is resumed', async () => {
  const { id, value } = (await ada.createKey('paused')).body.key
  const pause = (paused: boolean) => ada.call('PATCH', `/api/keys/${id}`, { paused })
  assert.deepEqual(await askAll(value), ['200', '200'])
  assert.equal((await pause(true)).status, 200)
  assert.deepEqual(await askAll(value), ['403 paused_api_key', '403 paused_api_key'])
  assert.equal((await pause(false)).status, 200)
  assert.deepEqual(await askAll(value), ['200', '200'])
})

t.test('every gateway refuses a revoked key at once, also without pub/sub', async (t) => {
  // js-redis-server cannot revoke permissions.
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  await withoutNotices(system, () => assertRefusedAtOnce('without notices'))
})
