import assert from 'node:assert/strict'
import type { Announcement, StatusResponse } from '@tollgate/contracts/http/status.ts'
import { addServed, hourOf } from '@tollgate/state/served/served.ts'
import { noneServed } from '@tollgate/state/served/served-row.ts'
import { test } from 'tap'
import { expectStatus } from '../testing/call-control.ts'
import { noteGateway } from '../testing/note-gateway.ts'
import { startControl } from '../testing/start-control.ts'
import { lowered } from './service-status.ts'

const dayMs = 86_400_000

test('the public status', async (t) => {
  const control = await startControl({ limits: { readStatus: 20 } })
  t.after(() => control.close())
  const { cookie } = await control.signUpOperator()
  const [model] = control.catalog.plans.free!.models as [string]

  async function read(): Promise<StatusResponse> {
    const answer = await expectStatus(control.call('GET', '/api/status'), 200)
    assert.equal(answer.headers['cache-control'], 'public, max-age=60')
    return answer.body as StatusResponse
  }
  const announce = async (body: object) => {
    const answer = await control.call('POST', '/api/admin/announcements', { cookie, body })
    await expectStatus(Promise.resolve(answer), 201)
    control.passTime(5000)
  }
  const inDays = (days: number) => new Date(control.now().getTime() + days * dayMs).toISOString()
  const shown = async () => (await read()).announcements.map(({ title, is_present }) => `${title} ${is_present}`)

  await t.test('without requests, everybody sees that nothing is known', async () => {
    const { state, announcements, providers, models } = await read()
    assert.deepEqual([state, announcements], ['unknown', []])
    assert.ok(providers.length > 1 && models.length > 1)
    assert.ok(models.every(({ uptime, first_token_ms }) => uptime === null && first_token_ms === null))
  })

  await t.test('a minute later, it has what gateways reported', async () => {
    const row = { ...noneServed(), successes: 98, failures: 2 }
    const report = { reporter: 'one', sequence: 1, rows: new Map([[model, row]]) }
    // An hour may end within the minute.
    const hour = hourOf(control.now().getTime() + 60_000)
    await addServed(control.redis, { hour, ...report })
    await noteGateway(control.redis)
    control.passTime(60_000)
    const { state, gateway, history, providers, models } = await read()
    const { provider, uptime, hours } = models.find(({ id }) => id === model)!
    assert.deepEqual([state, gateway, uptime, hours.at(-1)], ['degraded', 'good', 0.98, 'degraded'])
    assert.deepEqual([history.days.at(-1), history.uptime_90_days], ['degraded', 0.98])
    const ofProvider = providers.find(({ name }) => name === provider)
    assert.deepEqual([ofProvider?.uptime, ofProvider?.day_uptimes.at(-1)], [0.98, 0.98])
    const text = JSON.stringify({ state, gateway, history, providers, models })
    assert.doesNotMatch(text, /[[:,]98\b/, 'no count of requests leaves the API')
    assert.ok(text.length < 60_000, `${text.length}`)
  })

  await t.test(
    'announcements are shown from their start until 90 days after their end, and maintenance before',
    async () => {
      await announce({ level: 'info', title: 'ended', starts_at: inDays(-95), ends_at: inDays(-89) })
      await announce({ level: 'info', title: 'old', starts_at: inDays(-95), ends_at: inDays(-91) })
      await announce({ level: 'info', title: 'planned', starts_at: inDays(1) })
      await announce({ level: 'maintenance', title: 'works', starts_at: inDays(2), ends_at: inDays(3) })
      await announce({ level: 'maintenance', title: 'later works', starts_at: inDays(8) })
      assert.deepEqual(await shown(), ['works false', 'ended false'])
      assert.notEqual((await read()).state, 'down')
      await announce({ level: 'outage', title: 'present', text: '**Nothing** works.' })
      assert.deepEqual(await shown(), ['works false', 'present true', 'ended false'])
      assert.equal((await read()).state, 'down')
    }
  )

  await t.test('one address reads it so often in a minute', async () => {
    await control.redis.client.flushall()
    const statuses = await Promise.all(Array.from({ length: 21 }, () => control.call('GET', '/api/status')))
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [...Array.from({ length: 20 }, () => 200), 429]
    )
  })
})

test('present announcements lower the measured state, and never raise it', async () => {
  const announced = (level: Announcement['level'], is_present = true) =>
    ({ level, is_present }) as Pick<Announcement, 'level' | 'is_present'> as Announcement
  assert.equal(lowered('good', [announced('info'), announced('outage', false)]), 'good')
  assert.equal(lowered('unknown', [announced('info')]), 'unknown')
  assert.equal(lowered('good', [announced('maintenance')]), 'degraded')
  assert.equal(lowered('unknown', [announced('degraded'), announced('outage')]), 'down')
  assert.equal(lowered('down', [announced('degraded')]), 'down')
})
