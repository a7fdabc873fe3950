import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Test } from 'tap'
import t from 'tap'
import { addDemoData, demoUser, signInDemoUser } from '../demo-data/add-demo-data.ts'
import { demoKeys } from '../demo-data/demo-keys.ts'
import { runStart, type StartRun, startEnv, untilEnded } from '../testing/start-run.ts'
import { demoOperator } from './demo.ts'

t.setTimeout(600_000)
const run = promisify(execFile)
const demoData = fileURLToPath(new URL('./run-demo-data.ts', import.meta.url))
const demoLabels = demoKeys.map(({ label }) => label)
/** The data directory of all tests. Only the first test creates a database in it. */
const dataDir = t.testdir()
/**
 * That of the system with a new demo account. It is removed after the system has ended; tap removes `t.testdir()`
 * before.
 */
const demoDirectory = mkdtempSync(join(tmpdir(), 'tollgate-demo-data-'))
t.teardown(() => rmSync(demoDirectory, { recursive: true, maxRetries: 5 }))
const { version } = JSON.parse(readFileSync(workspaceFile('package.json'), 'utf8')) as { version: string }
const ready = 'Press Ctrl-C to stop everything.'

/** The shell commands that a ready system prints. */
function shownCommands(output: string): string[] {
  const start = output.indexOf('Copy these commands into another terminal:')
  const blocks = output.slice(start, output.indexOf(ready)).split('\n\n')
  return blocks.filter((block) => block !== '' && !block.startsWith(' ') && !block.startsWith('Copy these'))
}

type Credentials = Readonly<Record<'email' | 'password', string>>

/** Signs a user in. @returns a function that calls control as this user: GET, or POST with a body */
async function signIn(env: Record<string, string>, { email, password }: Credentials = demoUser) {
  const control = `http://localhost:${env.CONTROL_PORT}`
  const login = await fetch(`${control}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password })
  })
  assert.equal(login.status, 200)
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return async <Body>(path: string, body?: object): Promise<Body> => {
    const headers = { cookie, 'content-type': 'application/json' }
    const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${control}${path}`, request)
    assert.ok(answer.ok, `${path}: ${answer.status}`)
    return (await answer.json()) as Body
  }
}

/** An unrelated program, which must survive every stop. */
function startUnrelated(t: Test) {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.after(() => other.kill('SIGKILL'))
  return () => assert.equal(other.exitCode ?? other.signalCode, null)
}

async function startReady(t: Test, how: 'npm' | 'program', env: Record<string, string>): Promise<StartRun> {
  const start = runStart(t, how, env)
  await start.until(ready)
  return start
}

/** The pid of a program of the system, by a part of its command line. */
function programOf(start: StartRun, script: string): number {
  const program = start.processes().find(({ command }) => command.includes(script))
  assert.ok(program !== undefined, script)
  return program.pid
}

interface Bucket {
  readonly start: string
  readonly requests: number
  readonly cost_usd: string
}

/**
 * Asserts that `npm run demo-data` fills a running system once, and that the reports show it.
 *
 * @param earlier the number of requests before
 * @param earlierLabels the labels of the keys before
 */
async function assertDemoData(
  env: Record<string, string>,
  session: Awaited<ReturnType<typeof signInDemoUser>>,
  earlier: number,
  earlierLabels: readonly string[]
): Promise<void> {
  const { stdout } = await run(process.execPath, [demoData], { env })
  const count = Number(/(\d+) requests/.exec(stdout)?.[1])
  assert.ok(count > 1000, stdout)
  const from = new Date(Date.now() - 64 * 86_400_000).toISOString()
  const read = async () =>
    (await session.call<{ buckets: Bucket[] }>('GET', `/api/usage?from=${from}&interval=day`)).buckets
  const requestsOf = (buckets: readonly Bucket[]) => buckets.reduce((sum, { requests }) => sum + requests, 0)
  let buckets = await read()
  while (requestsOf(buckets) < count + earlier) {
    await delay(200)
    buckets = await read()
  }
  assert.equal(requestsOf(buckets), count + earlier)
  assert.ok(buckets.length >= 60, String(buckets.length))

  const month = new Date().toISOString().slice(0, 7)
  const ofMonth = buckets.filter(({ start }) => start.startsWith(month))
  const { spent_usd } = await session.call<{ spent_usd: string }>('GET', '/api/usage/summary')
  assert.equal(
    Number(spent_usd).toFixed(6),
    ofMonth.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0).toFixed(6)
  )

  const newest = async () =>
    (await session.call<{ requests: Array<{ id: string }> }>('GET', '/api/requests?limit=1&status=200')).requests[0]
  while ((await newest()) === undefined) await delay(200)
  const { request } = await session.call<{ request: { prices: unknown } }>(
    'GET',
    `/api/requests/${(await newest())!.id}`
  )
  assert.notEqual(request.prices, null)

  const { invoices } = await session.call<{ invoices: Array<{ status: string }> }>('GET', '/api/billing/invoices')
  assert.ok(invoices.length >= 2 && invoices.every(({ status }) => status === 'paid'), JSON.stringify(invoices))
  const { next_charge: next } = await session.call<{ next_charge: { amount: number; at: string } | null }>(
    'GET',
    '/api/billing/next-charge'
  )
  assert.ok(next !== null && next.amount > 0 && Date.parse(next.at) > Date.now(), JSON.stringify(next))

  const again = await run(process.execPath, [demoData], { env })
  assert.match(again.stdout, /already/)
  const { keys } = await session.call<{ keys: Array<{ label: string }> }>('GET', '/api/keys')
  assert.deepEqual(keys.map(({ label }) => label).toSorted(), [...demoLabels, ...earlierLabels].toSorted())
  assert.equal(requestsOf(await read()), count + earlier)
}

t.test(
  'a first start leads to a streamed answer; keys and usage survive a restart, which takes demo data',
  async (t) => {
    for (const program of ['bash', 'curl']) if (!need(t, program, findProgram([program]))) return
    const env = await startEnv(dataDir)
    await assert.rejects(run(process.execPath, [demoData], { env }), { code: 1, stderr: /Run npm start first/ })
    const checkUnrelated = startUnrelated(t)
    const first = await startReady(t, 'npm', env)
    assert.match(first.output(), new RegExp(`localhost:${env.CONTROL_PORT}/api\\b`))
    assert.match(first.output(), new RegExp(`localhost:${env.GATEWAY_PORT}/v1\\b`))
    assert.match(first.output(), new RegExp(`localhost:${env.SANDBOX_MAILBOX_PORT}\\b`))

    const commands = shownCommands(first.output())
    assert.equal(commands.length, 3)
    const { stdout } = await run('bash', ['-e', '-c', `cd /\n${commands.join('\necho "--- next"\n')}`], { env })
    const [keyOutput = '', streamOutput = '', nodeOutput = ''] = stdout.split('--- next\n')
    assert.match(keyOutput, /^\{"user":\{.*"plan":"pro"/)
    const key = /^tg_\w+$/m.exec(keyOutput)?.[0]
    assert.ok(key !== undefined, keyOutput)
    assert.match(streamOutput, /^data: \{.*"delta"/)
    assert.match(streamOutput, /data: \[DONE\]\n+$/)
    assert.match(nodeOutput, /\w+ \w+/)

    await t.test('the copied commands work again, and say why no key is created', async () => {
      const keyCommand = commands[0] ?? ''
      const again = () => run('bash', ['-e', '-c', `cd /\n${keyCommand}`], { env })
      assert.match((await again()).stdout, /^tg_\w+$/m)
      const refused = keyCommand.replace('my first key', 'x'.repeat(1000))
      const { stdout } = await run('bash', ['-e', '-c', `cd /\n${refused}`], { env })
      assert.match(stdout, /^No key was created: \{"error":.*label/m)
    })

    await t.test('both services report the version at /livez', async () => {
      for (const port of [env.CONTROL_PORT, env.CONTROL_ADMIN_PORT, env.GATEWAY_ADMIN_PORT]) {
        const answer = await fetch(`http://127.0.0.1:${port}/livez`)
        assert.deepEqual(await answer.json(), { ok: true, version })
      }
    })

    await t.test('a second start in the same directory names the first', async (t) => {
      const other = await startEnv(dataDir)
      const start = runStart(t, 'program', other)
      assert.deepEqual(await start.ended, { code: 1, signal: null })
      assert.match(start.output(), /Tollgate already runs with the data in .*localhost:\d+ \(process \d+\)\.\n.*Ctrl-C/)
    })

    const beforeHangUp = first.processes().map(({ pid }) => pid)
    process.kill(programOf(first, 'cli/src/start/run-start.ts'), 'SIGHUP')

    const askFirst = await signIn(env)
    const spentIn = async (ask: typeof askFirst) =>
      Number((await ask<{ spent_usd: string }>('/api/usage/summary')).spent_usd)
    const inLedger = async () => {
      const { buckets } = await askFirst<{ buckets: Array<{ requests: number }> }>('/api/usage')
      return buckets.reduce((sum, { requests }) => sum + requests, 0)
    }
    // The two requests of the copied commands.
    while ((await inLedger()) < 2) await delay(100)
    const before = await spentIn(askFirst)
    assert.ok(before > 0)

    const processes = first.processes()
    const running = new Set(processes.map(({ pid }) => pid))
    for (const pid of beforeHangUp) assert.ok(running.has(pid), `process ${pid} has ended by SIGHUP`)
    assert.ok(processes.some(({ command }) => command.includes('services/gateway/src/main.ts')))
    assert.ok(processes.some(({ command }) => command.includes('services/control/src/main.ts')))
    process.kill(-first.pid, 'SIGINT')
    await first.ended
    await untilEnded(processes)
    checkUnrelated()

    const second = await startReady(t, 'npm', env)
    // The session survives, too. A client may sign in ten times a minute, and copied commands and programs have.
    assert.equal(await spentIn(askFirst), before)
    const { keys } = await askFirst<{ keys: Array<{ id: string; label: string }> }>('/api/keys')
    assert.deepEqual(
      keys.map(({ label }) => label),
      ['my first key', 'my first key']
    )
    const askAsOperator = await signIn(env, demoOperator)
    const { accounts } = await askAsOperator<{ accounts: Array<{ email: string }> }>('/api/admin/accounts?sort=created')
    assert.deepEqual(accounts.map(({ email }) => email).sort(), [demoUser.email, demoOperator.email])
    const models = await fetch(`http://localhost:${env.GATEWAY_PORT}/v1/models`, {
      headers: { authorization: `Bearer ${key}` }
    })
    assert.equal(models.status, 200)
    // The plan has room for the keys of the demo data and one more.
    const session = await signInDemoUser(`http://localhost:${env.CONTROL_PORT}`)
    await session.call('DELETE', `/api/keys/${keys[1]!.id}`)
    await assertDemoData(env, session, 2, ['my first key'])
    const secondProcesses = second.processes()
    // SIGTERM to npm only, and a second signal while the system stops.
    process.kill(second.pid, 'SIGTERM')
    process.kill(programOf(second, 'cli/src/start/run-start.ts'), 'SIGINT')
    await second.ended
    await untilEnded(secondProcesses)
    checkUnrelated()
  }
)

t.test('npm start -- --version prints the version of package.json', async () => {
  const main = fileURLToPath(new URL('./run-start.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [main, '--version'], { env: await startEnv(dataDir) })
  assert.equal(stdout, `${version}\n`)
})

/** Asserts that `npm start` fills a new demo account, and never one that had a key. */
async function assertFilledOnce(control: string): Promise<void> {
  const session = await signInDemoUser(control)
  const spent = async () => Number((await session.call<{ spent_usd: string }>('GET', '/api/usage/summary')).spent_usd)
  while ((await spent()) === 0) await delay(200)
  const { keys } = await session.call<{ keys: Array<{ label: string }> }>('GET', '/api/keys?include_revoked=true')
  assert.deepEqual(keys.map(({ label }) => label).toSorted(), demoLabels.toSorted())
  const added = await addDemoData({ control, redis: '', payments: null, isLogged: true, onlyIfNew: true })
  assert.equal(added, null)
}

t.test('no process is left, however the program ends', async (t) => {
  const env = await startEnv(dataDir)
  const checkUnrelated = startUnrelated(t)

  await t.test('Ctrl-C during the start', async (t) => {
    const start = runStart(t, 'program', env)
    await start.until('Starting')
    while (!start.processes().some(({ command }) => command.includes('sandbox/src/identity/run-identity.ts'))) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const processes = start.processes()
    process.kill(-start.pid, 'SIGINT')
    assert.deepEqual(await start.ended, { code: 0, signal: null })
    await untilEnded(processes)
  })

  await t.test('SIGKILL of the program', async (t) => {
    const start = await startReady(t, 'program', env)
    const processes = start.processes()
    process.kill(start.pid, 'SIGKILL')
    await untilEnded(processes)
  })

  await t.test('SIGKILL of the process that npm runs, once it has filled a new demo account', async (t) => {
    const ofDemo: Record<string, string> = { ...(await startEnv(demoDirectory)), TOLLGATE_DEMO_DATA: 'on' }
    const start = await startReady(t, 'npm', ofDemo)
    await assertFilledOnce(`http://localhost:${ofDemo.CONTROL_PORT}`)
    const processes = start.processes()
    process.kill(programOf(start, 'with-setup.mjs packages/cli'), 'SIGKILL')
    await untilEnded(processes)
  })

  await t.test('a crashed part is named, and the system stops', async (t) => {
    const start = await startReady(t, 'program', env)
    const processes = start.processes()
    process.kill(programOf(start, 'services/gateway/src/main.ts'), 'SIGKILL')
    assert.deepEqual(await start.ended, { code: 1, signal: null })
    assert.match(start.output(), /gateway ended by SIGKILL/)
    await untilEnded(processes)
  })

  checkUnrelated()
})

t.test('a failed start reports the reason and leaves no process', async (t) => {
  const env = await startEnv(dataDir)

  await t.test('a taken port, with its variable', async (t) => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(Number(env.SANDBOX_MODELS_PORT), '127.0.0.1', resolve))
    t.after(() => other.close())
    const start = runStart(t, 'npm', env)
    const { code } = await start.ended
    assert.equal(code, 1)
    assert.match(start.output(), new RegExp(`Port ${env.SANDBOX_MODELS_PORT} \\(SANDBOX_MODELS_PORT\\) is in use`))
  })

  await t.test('a directory that cannot be written', async (t) => {
    const file = join(t.testdir({ file: 'text' }), 'file')
    const start = runStart(t, 'program', { ...env, TOLLGATE_DATA_DIR: join(file, 'data') })
    assert.deepEqual(await start.ended, { code: 1, signal: null })
    assert.match(start.output(), /Tollgate cannot write to .*file\/data \(ENOTDIR\)\. .*TOLLGATE_DATA_DIR/)
  })

  await t.test('production without the real parts', async (t) => {
    const start = runStart(t, 'program', { ...env, NODE_ENV: 'production', REDIS_URL: 'redis://127.0.0.1:1' })
    assert.deepEqual(await start.ended, { code: 1, signal: null })
    assert.match(start.output(), /NODE_ENV.*\n(.*\n)*.*set SUPABASE_URL/)
    assert.doesNotMatch(start.output(), /set REDIS_URL/)
  })

  await t.test('a bad variable and a bad catalog', async (t) => {
    const badPort = runStart(t, 'program', { ...env, CONTROL_PORT: 'x' })
    assert.deepEqual(await badPort.ended, { code: 1, signal: null })
    assert.match(badPort.output(), /CONTROL_PORT/)
    const badCatalog = runStart(t, 'program', { ...env, CATALOG_FILE: '/nonexistent/catalog.yaml' })
    assert.deepEqual(await badCatalog.ended, { code: 1, signal: null })
    assert.match(badCatalog.output(), /\/nonexistent\/catalog.yaml: cannot be read/)
  })

  await t.test('a bad variable in .env', async (t) => {
    const cwd = t.testdir({ '.env': 'TOLLGATE_LOG=loud\n' })
    const main = fileURLToPath(new URL('./run-start.ts', import.meta.url))
    await assert.rejects(run(process.execPath, [main], { cwd, env: {} }), { code: 1, stderr: /TOLLGATE_LOG/ })
  })

  await t.test('a service that refuses its configuration', async (t) => {
    const start = runStart(t, 'program', { ...env, UPSTREAMS_FILE: '/nonexistent/upstreams.yaml' })
    await start.until('Starting')
    assert.deepEqual(await start.ended, { code: 1, signal: null })
    assert.match(start.output(), /gateway ended with status 1 before it was ready/)
    assert.match(start.output(), /\/nonexistent\/upstreams.yaml: cannot be read/)
    await untilEnded(start.processes())
  })
})
