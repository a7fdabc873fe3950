import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { Redis } from 'ioredis'
import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

t.test('a Redis restarted from an old dump admits nothing on it until the revocation is replayed', async (t) => {
  const program = findRedisServer(process.env)
  if (!need(t, 'redis-server', program)) return
  const dataDir = t.testdir()
  const port = await freePort()
  let server = await startRedis({ port, dataDir, persistence: false, program })
  t.teardown(() => server.stop())
  const system = await startTestSystem(t, { gateways: 2, env: { REDIS_URL: server.url } })
  const ada = await new Person(system, 'ada').join('pro')
  const kept = (await ada.createKey('kept')).body.key
  const revoked = (await ada.createKey('revoked later')).body.key
  const [first, second] = system.addresses.gateways as [string, string]
  t.equal(await chatOutcome(openaiClient(first, revoked.value)), '200')

  const redis = new Redis(server.url)
  await redis.save()
  redis.disconnect()
  copyFileSync(join(dataDir, 'dump.rdb'), join(dataDir, 'old.rdb'))
  t.match(await ada.revokeKey(revoked.id), { status: 200, body: { ok: true } })
  t.equal(await chatOutcome(openaiClient(first, revoked.value)), '401 revoked_api_key')

  await server.kill('SIGKILL')
  t.equal(await chatOutcome(openaiClient(first, kept.value)), '503 state_unavailable')
  t.match(await ada.revokeKey(kept.id), { status: 503, body: { error: { code: 'revocation_pending' } } })
  copyFileSync(join(dataDir, 'old.rdb'), join(dataDir, 'dump.rdb'))
  server = await startRedis({ port, dataDir, persistence: false, program })

  const outcomes = await Promise.all([
    untilOutcome(() => chatOutcome(openaiClient(first, revoked.value)), '401 revoked_api_key'),
    untilOutcome(() => chatOutcome(openaiClient(second, revoked.value)), '401 revoked_api_key'),
    untilOutcome(() => chatOutcome(openaiClient(second, kept.value)), '401 revoked_api_key')
  ])
  for (const { seen, ms } of outcomes) {
    t.same(
      seen.filter((outcome) => outcome !== '503 state_unavailable'),
      ['401 revoked_api_key'],
      'never a stale yes'
    )
    t.comment(`healed ${ms} ms after the restart`)
  }
  t.match(
    await ada.revokeKey(kept.id),
    { status: 200, body: { ok: true } },
    'and the pending revocation has come through'
  )
  const next = (await ada.createKey('next')).body.key
  t.equal(await chatOutcome(openaiClient(first, next.value)), '200')
})
