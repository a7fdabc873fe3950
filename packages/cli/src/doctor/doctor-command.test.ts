import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import type { CommandIo } from '../commands/command.ts'
import { doctor } from './doctor-command.ts'
import type { Finding, Result } from './results/result.ts'
import { databaseFaults } from './testing/faults/database.ts'
import { identityFaults } from './testing/faults/identity.ts'
import { mailFaults } from './testing/faults/mail.ts'
import { otherFaults } from './testing/faults/others.ts'
import { paymentsFaults } from './testing/faults/payments.ts'
import { redisFaults } from './testing/faults/redis.ts'
import { settingsFaults } from './testing/faults/settings.ts'
import { mailPassword, startMailServer } from './testing/mail-server.ts'
import { keys } from './testing/servers.ts'
import { type Env, startWorld } from './testing/world.ts'

/** Runs the command. */
async function run(env: Env, cwd: string, ...args: string[]) {
  let out = ''
  let err = ''
  const io: CommandIo = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    env,
    cwd,
    isTerminal: false,
    ask: () => assert.fail('doctor asks nothing')
  }
  return { code: await doctor.run(args, io), out, err }
}

interface Report {
  ok: boolean
  errors: number
  warnings: number
  results: Result[]
}

async function findings(env: Env, cwd: string) {
  const { code, out, err } = await run(env, cwd, '--json')
  assert.equal(err, '')
  const { results, errors } = JSON.parse(out) as Report
  const found = results.filter((result): result is Finding => 'code' in result)
  return { found, errors, code, out }
}

const faults = [
  ...settingsFaults,
  ...databaseFaults,
  ...redisFaults,
  ...identityFaults,
  ...paymentsFaults,
  ...mailFaults,
  ...otherFaults
]

test('doctor', async (t) => {
  const world = await startWorld(t)
  if (!need(t, 'PostgreSQL and redis-server', world)) return
  const { env, cwd } = world

  await t.test('finds nothing wrong in a right configuration', async () => {
    const { found, code, out } = await findings(env, cwd)
    assert.deepEqual(found, [])
    assert.equal(code, 0)
    assert.deepEqual(
      JSON.parse(out).results.filter(({ severity }: Result) => severity !== 'ok'),
      []
    )
  })

  await t.test('says that the collector accepts traces, with the headers of the exporter', async () => {
    const asked: unknown[] = []
    const url = await world!.startServer(({ method, url, headers }, response) => {
      asked.push([method, url, headers['content-type'], headers['x-token']])
      response.end()
    })
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b' }
    const { out } = await run({ ...env, ...traces }, cwd)
    assert.match(out, /^traces +ok +The OTLP collector \(\S+\) accepts traces\.$/m)
    assert.deepEqual(asked, [['POST', '/v1/traces', 'application/x-protobuf', 'a b']])
  })

  await t.test('says that the collector accepts receipts, with the headers for logs', async () => {
    const asked: unknown[] = []
    const url = await world!.startServer(({ method, url, headers }, response) => {
      asked.push([method, url, headers['content-type'], headers['x-token']])
      response.end()
    })
    const receipts = {
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/v1/logs`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=other',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-token=a%20b'
    }
    const { out } = await run({ ...env, ...receipts }, cwd)
    assert.match(out, /^receipts +ok +The OTLP collector of logs \(\S+\) accepts receipts\.$/m)
    assert.deepEqual(asked, [['POST', '/v1/logs', 'application/x-protobuf', 'a b']])
  })

  await t.test('says that the mail server takes mails, and sends none', async () => {
    const server = await startMailServer({ password: mailPassword })
    t.after(server.close)
    const { out } = await run({ ...env, ...server.env }, cwd)
    assert.match(out, /^mail +ok +The mail server \(127\.0\.0\.1:\d+\) accepts the login\.$/m)
    assert.deepEqual(server.mails, [])
    assert.match((await run(env, cwd)).out, /^mail +ok +Control sends no mails: SMTP_URL is not set\.$/m)
  })

  await t.test('in a control pod of Kubernetes, says where the keys of providers are checked', async () => {
    const pod = { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1', MAIN_API_KEY: undefined }
    const { found, code } = await findings(pod, cwd)
    assert.deepEqual([found, code], [[], 0])
    assert.match((await run(pod, cwd)).out, /^files +skipped +The keys of providers are not checked: .*gateway/m)
  })

  await t.test('compares every clock that it can see', async () => {
    const { out } = await run(env, cwd)
    assert.match(out, /^clocks +ok +This machine agrees with PostgreSQL, Redis, Supabase, Stripe\.$/m)
  })

  await t.test('prints a line for each right thing, without colours', async () => {
    const { out, err } = await run(env, cwd)
    assert.match(out, /^PostgreSQL {2}ok {7}Version \d+\.\d+, role postgres/m)
    assert.match(out, /^No problems found\.$/m)
    assert.ok(!out.includes('\u001b'))
    assert.equal(err, '')
  })

  for (const { name, codes, make } of faults) {
    await t.test(`tells if ${name}`, async () => {
      const made = await make(world)
      const { env: change, undo = async () => {} } =
        'undo' in made && typeof made.undo === 'function'
          ? (made as { env: Env; undo(): Promise<void> })
          : { env: made as Env }
      try {
        const { found, code, out, errors } = await findings({ ...env, ...change }, cwd)
        assert.deepEqual(
          found.map((finding) => finding.code),
          codes,
          JSON.stringify(found, null, 2)
        )
        assert.equal(code, errors === 0 ? 0 : 1)
        for (const { what, why, fix } of found) for (const text of [what, why, fix]) assert.match(text, /\S/)
        for (const secret of [...Object.values(keys), 'password-of-redis', 'mistaken-word-of-redis', mailPassword]) {
          assert.ok(!out.includes(secret), `the report contains ${secret.slice(0, 8)}…`)
        }
      } finally {
        await undo()
      }
    })
  }
})

test('wrong usage exits with 2 and explains the usage', async (t) => {
  const { code, err, out } = await run({}, t.testdir(), '--colour')
  assert.equal(code, 2)
  assert.match(err, /^Usage: tollgate doctor/)
  assert.equal(out, '')
})

test('without any variable, doctor names each missing one and what to do', async (t) => {
  const { found, code } = await findings({}, t.testdir())
  assert.equal(code, 1)
  const missing = found.filter((finding) => finding.code === 'variable_missing').map(({ what }) => what)
  for (const name of ['PUBLIC_URL', 'SUPABASE_URL', 'STRIPE_SECRET_KEY', 'DATABASE_URL', 'REDIS_URL']) {
    assert.ok(
      missing.some((what) => what.includes(name)),
      name
    )
  }
})
