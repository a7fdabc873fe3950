import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import t from 'tap'
import { wrongSettings } from './document.ts'
import { type RunningService, runService, secretMark, startWorld, until, type World } from './world.ts'
import { patternOf, type WrongSetting } from './wrong-setting.ts'

/** Services that run at the same time. Most end at once. */
const atOnce = 4
const startTimeoutMs = 60_000

async function sendSignedWebhook({ port }: RunningService, secret: string): Promise<void> {
  const body = '{}'
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const answer = await fetch(`http://127.0.0.1:${port}/api/billing/webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': `t=${time},v1=${signature}` },
    body
  })
  assert.equal(answer.status, 400)
}

async function check(world: World, row: WrongSetting): Promise<void> {
  const { service, setting, env, says, readyz, webhookSecret } = row
  const running = await runService(service, { ...world[service], ...env(world) })
  try {
    if (readyz === null) {
      const status = await Promise.race([running.ended, delay(startTimeoutMs, 'still running', { ref: false })])
      assert.equal(status, 1, `${setting} is accepted:\n${running.output()}`)
      assert.match(running.output(), patternOf(says), setting)
    } else {
      await until(running, `${setting}: readyz ${JSON.stringify(readyz)}`, async () => {
        const answer = await running.readyz()
        return answer?.status === readyz.status && shows(answer.details, readyz.shows) ? answer : null
      })
      if (webhookSecret !== undefined) await sendSignedWebhook(running, webhookSecret)
      await until(running, setting, () => (patternOf(says).test(running.output()) ? true : null))
    }
    assert.doesNotMatch(running.output(), new RegExp(secretMark), `${setting}: a secret is shown`)
  } finally {
    await running.stop()
  }
}

function shows(details: Record<string, unknown>, expected: NonNullable<WrongSetting['readyz']>['shows']): boolean {
  if (typeof expected === 'string') return JSON.stringify(details.problems).includes(`"what":"${expected}"`)
  return Object.entries(expected ?? {}).every(([name, value]) => details[name] === value)
}

t.setTimeout(400_000)
t.test('each wrong setting that a service finds once it runs is named with its cure, without a secret', async (t) => {
  if (!need(t, 'PostgreSQL', findPostgres(process.env))) return
  const world = await startWorld(t.testdir())
  assert.ok(world !== null)
  t.after(() => world.stop())
  // Migrates the database, and publishes the catalog that gateways wait for.
  const good = {
    control: await runService('control', world.control),
    gateway: await runService('gateway', world.gateway)
  }
  t.after(() => Promise.all([good.control.stop(), good.gateway.stop()]))
  for (const service of [good.control, good.gateway]) {
    const { details } = await until(service, 'right settings', async () => {
      const answer = await service.readyz()
      return answer?.status === 200 ? answer : null
    })
    assert.deepEqual(details.problems, [])
  }
  const rest = wrongSettings.filter(({ isRefusedAtLoad }) => !isRefusedAtLoad)
  const failures: unknown[] = []
  const work = async () => {
    for (let row = rest.shift(); row !== undefined; row = rest.shift()) {
      await check(world, row).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  assert.deepEqual(failures, [])
  for (const service of [good.control, good.gateway]) assert.doesNotMatch(service.output(), /"level":50/)
})
