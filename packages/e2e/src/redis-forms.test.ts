import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/make-certificate.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import t, { type Test } from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

const program = findRedisServer(process.env)
const password = 'a password: not for logs'
/** A Sentinel that was kept from its work for two seconds does nothing for half a minute (TILT). */
const healLimitMs = 60_000

type Usage = { buckets: unknown[] }
type Key = { id: string; value: string }

const alone = ['ada']
/** Several people, so that what they have is spread over the masters of a cluster. */
const several = ['ada', 'grace', 'edsger', 'barbara']

/**
 * Registers people, each with a key that works and one that is revoked and does not, through control and a gateway.
 *
 * @param breakRedis what is done then, after which everything must become as it was by itself, without a wrong answer
 */
async function journey(t: Test, url: string, names: string[], breakRedis: () => Promise<void>): Promise<void> {
  const system = await startTestSystem(t, { env: { REDIS_URL: url } })
  const ask = (key: Key) => chatOutcome(openaiClient(system.addresses.gateway, key.value))
  const people = await Promise.all(
    names.map(async (name) => {
      const person = await new Person(system, name).join('pro')
      const live = await createKey(person, 'live')
      const revoked = await createKey(person, 'revoked')
      t.equal(await ask(live), '200')
      t.equal(await ask(revoked), '200')
      t.match(await person.revokeKey(revoked.id), { status: 200, body: { ok: true } })
      t.equal(await ask(revoked), '401 revoked_api_key')
      return { person, live, revoked }
    })
  )

  await breakRedis()
  const healed = await Promise.all(
    people.flatMap(({ live, revoked }) => [
      untilOutcome(() => ask(live), '200', healLimitMs).then(({ seen, ms }) => ({ seen, ms, right: '200' })),
      untilOutcome(() => ask(revoked), '401 revoked_api_key', healLimitMs).then(({ seen, ms }) => ({
        seen,
        ms,
        right: '401 revoked_api_key'
      }))
    ])
  )
  for (const { seen, right } of healed) {
    t.same(
      seen.filter((outcome) => outcome !== '503 state_unavailable'),
      [right]
    )
  }
  t.comment(`all is well ${Math.max(...healed.map(({ ms }) => ms))} ms later`)
  for (const { person, live } of people) {
    const isCounted = async () => String((await person.call<Usage>('GET', '/api/usage')).body.buckets.length > 0)
    t.equal((await untilOutcome(isCounted, 'true')).seen.at(-1), 'true', 'what was used comes into the ledger')
    const later = await createKey(person, 'later')
    t.equal((await untilOutcome(() => ask(later), '200')).seen.at(-1), '200')
    // What has healed is where these accounts are: in a cluster the pointer of a secret may be with a master that is away.
    const { seen } = await untilOutcome(() => revoke(person, live), '200', healLimitMs)
    t.same(
      seen.filter((outcome) => outcome !== '503 revocation_pending'),
      ['200']
    )
    t.equal(await ask(live), '401 revoked_api_key')
  }
}

async function createKey(person: Person, label: string): Promise<Key> {
  const { status, body } = await person.createKey(label)
  if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`)
  return body.key
}

async function revoke(person: Person, { id }: Key): Promise<string> {
  const { status, body } = await person.revokeKey(id)
  return 'error' in body ? `${status} ${body.error.code}` : String(status)
}

t.test('rediss:// with a password: nothing is different', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const redis = await startRedis({ port: 0, program, password, tls })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, alone, async () => {})
})

t.test('Sentinels: a failover heals by itself, and what was revoked stays dead', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startReplicatedRedis({ program, password, sentinelPassword: 'another' })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, alone, () => redis.servers[0]!.kill('SIGKILL'))
})

t.test('a cluster: a failover heals by itself, and what was revoked stays dead', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedisCluster({ program, password })
  t.teardown(() => redis.stop())
  await journey(t, redis.url, several, () => redis.masters[0]!.kill('SIGKILL'))
})
