import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import type { Test } from 'tap'
import t from 'tap'
import { Person } from './person.ts'
import { chatOutcome, openaiClient, startTestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

const program = findRedisServer(process.env)
const password = 'a password: not for logs'
/** A Sentinel that stalled for two seconds does nothing for half a minute (TILT mode), each time. */
const recoveryTimeoutMs = 120_000

interface Usage {
  buckets: unknown[]
}
interface Key {
  id: string
  value: string
}

const alone = ['ada']
/** Several people, so that their data is spread over the masters of a cluster. */
const several = ['ada', 'grace', 'edsger', 'barbara']

/**
 * Registers people, each with an active and a revoked key. Then breaks Redis and checks that the system recovers by
 * itself without a wrong answer.
 */
async function journey(t: Test, url: string, names: string[], breakRedis: () => Promise<void>): Promise<void> {
  const system = await startTestSystem(t, { env: { REDIS_URL: url } })
  const ask = (key: Key) => chatOutcome(openaiClient(system.addresses.gateway, key.value))
  const people = await Promise.all(
    names.map(async (name) => {
      const person = await new Person(system, name).join('pro')
      const live = await createKey(person, 'live')
      const revoked = await createKey(person, 'revoked')
      assert.equal(await ask(live), '200')
      assert.equal(await ask(revoked), '200')
      assert.partialDeepStrictEqual(await person.revokeKey(revoked.id), { status: 200, body: { ok: true } })
      assert.equal(await ask(revoked), '401 revoked_api_key')
      return { person, live, revoked }
    })
  )

  await breakRedis()
  const recovered = await Promise.all(
    people.flatMap(({ live, revoked }) => [
      untilOutcome(() => ask(live), '200', { timeoutMs: recoveryTimeoutMs }).then(({ seen, ms }) => ({
        seen,
        ms,
        right: '200'
      })),
      untilOutcome(() => ask(revoked), '401 revoked_api_key', { timeoutMs: recoveryTimeoutMs }).then(
        ({ seen, ms }) => ({
          seen,
          ms,
          right: '401 revoked_api_key'
        })
      )
    ])
  )
  for (const { seen, right } of recovered) {
    assert.deepEqual(
      seen.filter((outcome) => outcome !== '503 state_unavailable'),
      [right]
    )
  }
  t.comment(`recovered after ${Math.max(...recovered.map(({ ms }) => ms))} ms`)
  for (const { person, live } of people) {
    const isCounted = async () => String((await person.call<Usage>('GET', '/api/usage')).body.buckets.length > 0)
    assert.equal((await untilOutcome(isCounted, 'true')).seen.at(-1), 'true', 'usage reaches the ledger')
    const later = await createKey(person, 'later')
    assert.equal((await untilOutcome(() => ask(later), '200')).seen.at(-1), '200')
    // These accounts' shards work again. In a cluster a secret's pointer may be on a master that is still down.
    const { seen } = await untilOutcome(() => revoke(person, live), '200', { timeoutMs: recoveryTimeoutMs })
    assert.deepEqual(
      seen.filter((outcome) => outcome !== '503 revocation_pending'),
      ['200']
    )
    assert.equal(await ask(live), '401 revoked_api_key')
  }
}

async function createKey(person: Person, label: string): Promise<Key> {
  const { status, body } = await person.createKey(label)
  if (status !== 201) throw new Error(`no key was created: ${status} ${JSON.stringify(body)}`)
  return body.key
}

async function revoke(person: Person, { id }: Key): Promise<string> {
  const { status, body } = await person.revokeKey(id)
  return 'error' in body ? `${status} ${body.error.code}` : String(status)
}

t.test('everything works through rediss:// with a password', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const redis = await startRedis({ port: 0, program, password, tls })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, alone, async () => {})
})

t.test('Sentinels: the system recovers from a failover, and revoked keys stay refused', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startReplicatedRedis({ program, password, sentinelPassword: 'another' })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, alone, () => redis.servers[0]!.kill('SIGKILL'))
})

t.test('cluster: the system recovers from a failover, and revoked keys stay refused', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedisCluster({ program, password })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, several, () => redis.masters[0]!.kill('SIGKILL'))
})
