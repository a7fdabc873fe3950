import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { test } from 'tap'
import { withKeyQuota, writeFile } from './catalog/testing/catalog-files.ts'
import { anonKey, serviceRoleKey, stripeKey, webhookSecret } from './testing/control-options.ts'
import { adminListening, listening, runControl as run } from './testing/control-program.ts'
import { copyPgliteDirectory } from './testing/pglite-directory.ts'

/** Calls and reads the whole answer: unread, it would keep its connection. */
async function send(url: string, init?: RequestInit) {
  const answer = await fetch(url, init)
  const body = await answer.text()
  const { status, headers } = answer
  return { status, headers, text: () => body, json: (): unknown => JSON.parse(body) }
}

test('control as a program', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-control-'))
  t.after(() => rmSync(directory, { recursive: true }))
  await copyPgliteDirectory('migrated', join(directory, 'postgres'))
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const identity = await startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: 'http://localhost:3000',
    anonKey,
    serviceRoleKey
  })
  t.after(() => identity.close())
  const env = {
    CONTROL_PORT: '0',
    PUBLIC_URL: 'http://localhost:3000',
    SUPABASE_URL: identity.url,
    SUPABASE_ANON_KEY: anonKey,
    SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    DATABASE_URL: `pglite:${join(directory, 'postgres')}`,
    REDIS_URL: redis.url
  }
  const person = { email: 'ada@example.com', password: 'correct horse battery' }
  const post = (url: string, body: unknown) =>
    send(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

  await t.test('it serves until SIGTERM, ends with 0 and frees its directory', async () => {
    const control = run(t, env)
    const url = await listening(control)
    // It listens before it is connected to everything.
    const adminUrl = await adminListening(control)
    while ((await send(`${adminUrl}/readyz`)).status !== 200) await delay(20)
    assert.equal((await post(`${url}/api/auth/register`, { ...person, name: 'Ada' })).status, 200)
    const { searchParams } = linkIn(await latestMail(identity.mailboxUrl, person.email))
    const { token_hash, type } = Object.fromEntries(searchParams)
    const confirmed = await post(`${url}/api/auth/confirm`, { token_hash, type, password: person.password })
    assert.equal(confirmed.status, 200)

    control.child.kill('SIGTERM')
    assert.deepEqual(await control.ended, { code: 0, signal: null })
    assert.doesNotMatch(control.output(), /"level":(50|60)/)
    assert.throws(() => readFileSync(join(directory, 'postgres.lock')), { code: 'ENOENT' })
  })

  await t.test('a later start finds everybody again, also after a crash', async () => {
    const crashed = run(t, env)
    const cookie = (await post(`${await listening(crashed)}/api/auth/login`, person)).headers
      .getSetCookie()[0]!
      .split(';')[0]!
    crashed.child.kill('SIGKILL')
    await crashed.ended
    const control = run(t, env)
    const url = await listening(control)
    assert.equal((await send(`${url}/api/auth/me`, { headers: { cookie } })).status, 200)
    control.child.kill('SIGINT')
    assert.deepEqual(await control.ended, { code: 0, signal: null })
  })

  await t.test('a signal as soon as it listens stops it in order, too', async () => {
    const control = run(t, env)
    await listening(control)
    control.child.kill('SIGTERM')
    assert.deepEqual(await control.ended, { code: 0, signal: null })
    assert.throws(() => readFileSync(join(directory, 'postgres.lock')), { code: 'ENOENT' })
  })

  await t.test(
    'a request that is under way at the signal is finished, and the connection does not keep it alive',
    async () => {
      const refusal = '{"code":"invalid_credentials","message":"Invalid login credentials"}'
      const arrival = Promise.withResolvers<ServerResponse>()
      // Control also checks its keys.
      const provider = createServer((request: IncomingMessage, response) => {
        if (request.url?.includes('/token')) arrival.resolve(response)
        else response.writeHead(503).end()
      })
      await once(provider.listen(0, '127.0.0.1'), 'listening')
      t.after(() => provider.close())
      const { port } = provider.address() as AddressInfo
      const control = run(t, { ...env, SUPABASE_URL: `http://127.0.0.1:${port}` })
      const underWay = post(`${await listening(control)}/api/auth/login`, person)
      const response = await arrival.promise
      control.child.kill('SIGTERM')
      while (!control.output().includes('"signal":"SIGTERM"')) await once(control.child.stdout!, 'data')
      const headers = { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' }
      response.writeHead(400, headers).end(refusal)
      const answered = await underWay
      assert.equal(answered.status, 401)
      // With 1 if something kept it alive.
      assert.deepEqual(await control.ended, { code: 0, signal: null })
    }
  )

  await t.test('SIGHUP publishes a changed catalog file, refuses a bad one, and never ends control', async () => {
    const catalogFile = writeFile(directory, 'changing.yaml', withKeyQuota(6))
    const control = run(t, { ...env, CATALOG_FILE: catalogFile })
    const url = await listening(control)
    const quota = async () => {
      const { plans } = (await send(`${url}/api/billing/plans`)).json() as { plans: OfferedPlan[] }
      return plans.find(({ id }) => id === 'pro')!.key_quota
    }
    const untilOutput = async (text: RegExp) => {
      while (!text.test(control.output())) await once(control.child.stdout!, 'data')
    }
    assert.equal(await quota(), 6)
    writeFile(directory, 'changing.yaml', withKeyQuota(7))
    control.child.kill('SIGHUP')
    await untilOutput(/the catalog file is in force as catalog/)
    while ((await quota()) !== 7) await delay(20)
    writeFile(directory, 'changing.yaml', 'models: [')
    control.child.kill('SIGHUP')
    await untilOutput(/stays in force\. .*changing\.yaml: /)
    control.child.kill('SIGHUP')
    assert.equal(await quota(), 7)
    control.child.kill('SIGTERM')
    assert.deepEqual(await control.ended, { code: 0, signal: null })
  })

  await t.test('probes get an answer while control waits for its database, and the public port is closed', async () => {
    const silent = createTcpServer((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => silent.close())
    const { port } = silent.address() as AddressInfo
    const publicPort = await freePort()
    const control = run(t, {
      ...env,
      CONTROL_PORT: String(publicPort),
      LOG_FORMAT: 'pretty',
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/x`
    })
    const adminUrl = await adminListening(control)
    assert.match(control.output(), /^\[20.+\] INFO \(control\): Admin server listening/m, 'lines for people')
    assert.equal((await send(`${adminUrl}/livez`)).status, 200)
    const ready = await send(`${adminUrl}/readyz`)
    assert.equal(ready.status, 503)
    assert.deepEqual(await ready.json(), {
      started: false,
      stopping: false,
      database: false,
      redis: false,
      problems: []
    })
    assert.match((await send(`${adminUrl}/metrics`)).text(), /^tollgate_build_info\{service="control",version="/m)
    await assert.rejects(send(`http://127.0.0.1:${publicPort}/livez`))
    control.child.kill('SIGKILL')
    await control.ended
  })

  await t.test('a port that is taken is named, with its variable', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    t.after(() => other.close())
    for (const variable of ['CONTROL_PORT', 'CONTROL_ADMIN_PORT']) {
      const control = run(t, { ...env, [variable]: String(port) })
      assert.equal((await control.ended).code, 1)
      assert.match(
        control.output(),
        new RegExp(
          `control: Another program uses port ${port} on 127\\.0\\.0\\.1\\. .* set ${variable} to another port`
        )
      )
    }
  })

  await t.test('what is wrong with variables, catalog or database stops the start and is named', async () => {
    const none = run(t, {})
    const catalogFile = join(directory, 'catalog.yaml')
    writeFileSync(catalogFile, 'models: {}\nplans: {}\n')
    await copyPgliteDirectory('migrated', join(directory, 'empty'))
    const catalog = run(t, { ...env, CATALOG_FILE: catalogFile, DATABASE_URL: `pglite:${join(directory, 'empty')}` })
    const applied = run(t, { ...env, CATALOG_FILE: catalogFile, CATALOG_ON_START: 'apply' })
    const database = run(t, { ...env, DATABASE_URL: `pglite:${catalogFile}/x` })
    for (const { ended } of [none, catalog, applied, database]) assert.equal((await ended).code, 1)
    for (const name of Object.keys(env).filter((name) => name !== 'CONTROL_PORT' && name !== 'STRIPE_API_BASE')) {
      assert.match(none.output(), new RegExp(`\\b${name}\\b`))
    }
    for (const { output } of [catalog, applied]) {
      assert.match(output(), /catalog\.yaml: plans: a plan named free is missing/)
    }
    assert.match(database.output(), /control: DATABASE_URL: /)
  })
})
