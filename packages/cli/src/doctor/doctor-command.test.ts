import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { identityFaults, mailFaults, paymentsFaults } from './testing/faults-of-services.ts'
import { otherFaults, settingsFaults } from './testing/faults-of-settings.ts'
import { databaseFaults, redisFaults } from './testing/faults-of-stores.ts'
import { mailPassword, startMailServer } from './testing/servers.ts'
import { assertFound, readFindings, runDoctor, startWorld } from './testing/world.ts'

test('doctor', async (t) => {
  const world = await startWorld(t)
  if (!need(t, 'PostgreSQL and redis-server', world)) return
  const { env, cwd } = world

  await t.test('finds nothing wrong in a right configuration', async () => {
    const { findings, code, results } = await readFindings(env, cwd)
    assert.deepEqual(findings, [])
    assert.equal(code, 0)
    assert.deepEqual(
      results.filter(({ severity }) => severity !== 'ok'),
      []
    )
  })

  await t.test('prints a line for each right thing, without colours', async () => {
    const { out, err } = await runDoctor(env, cwd)
    assert.match(out, /^PostgreSQL {2}ok {7}Version \d+\.\d+, role postgres/m)
    assert.match(out, /^clocks +ok +This machine agrees with PostgreSQL, Redis, Supabase, Stripe\.$/m)
    assert.match(out, /^mail +ok +Control sends no mails: SMTP_URL is not set\.$/m)
    assert.match(out, /^No problems found\.$/m)
    assert.ok(!out.includes('\u001b'))
    assert.equal(err, '')
  })

  await t.test('says that mails, traces and receipts are accepted, and sends none', async (t) => {
    const mailServer = await startMailServer({ password: mailPassword })
    t.after(mailServer.close)
    const calls: unknown[] = []
    const url = await world.startServer(({ method, url, headers }, response) => {
      calls.push([method, url, headers['content-type'], headers['x-token']])
      response.end()
    })
    const { out } = await runDoctor(
      {
        ...env,
        ...mailServer.env,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b',
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/v1/logs`,
        OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-token=of%20logs'
      },
      cwd
    )
    assert.match(out, /^mail +ok +The mail server \(127\.0\.0\.1:\d+\) accepts the login\.$/m)
    assert.deepEqual(mailServer.mails, [])
    assert.match(out, /^traces +ok +The OTLP collector \(\S+\) accepts traces\.$/m)
    assert.match(out, /^receipts +ok +The OTLP collector of logs \(\S+\) accepts receipts\.$/m)
    assert.deepEqual(calls.sort(), [
      ['POST', '/v1/logs', 'application/x-protobuf', 'of logs'],
      ['POST', '/v1/traces', 'application/x-protobuf', 'a b']
    ])
  })

  await t.test('in a control pod of Kubernetes, says where the keys of providers are checked', async () => {
    const pod = { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1', MAIN_API_KEY: undefined }
    const { code, out } = await runDoctor(pod, cwd)
    assert.equal(code, 0)
    assert.match(out, /^files +skipped +The keys of providers are not checked: .*gateway/m)
    assert.match(out, /^No problems found\.$/m)
  })

  await t.test('tells a wrong setting', async () => assertFound(world, settingsFaults.slice(0, 1)))

  await t.test('tells a fault of each server at once', async () => {
    const ofServers = [databaseFaults, redisFaults, identityFaults, paymentsFaults, mailFaults, otherFaults]
    await assertFound(
      world,
      ofServers.flatMap((faults) => faults.slice(0, 1))
    )
  })
})

test('wrong usage exits with 2 and explains the usage', async (t) => {
  const { code, err, out } = await runDoctor({}, t.testdir(), '--colour')
  assert.equal(code, 2)
  assert.match(err, /^Usage: tollgate doctor/)
  assert.equal(out, '')
})

test('without any variable, doctor names each missing one and what to do', async (t) => {
  const { findings, code } = await readFindings({}, t.testdir())
  assert.equal(code, 1)
  const missing = findings.filter((finding) => finding.code === 'variable_missing').map(({ what }) => what)
  for (const name of ['PUBLIC_URL', 'SUPABASE_URL', 'STRIPE_SECRET_KEY', 'DATABASE_URL', 'REDIS_URL']) {
    assert.ok(
      missing.some((what) => what.includes(name)),
      name
    )
  }
})
