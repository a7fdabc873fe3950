import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { newPgliteDirectory } from '@tollgate/control/testing/pglite-directory.ts'
import { startControl } from '@tollgate/control/testing/start-control.ts'
import { createPostgresLedger } from '@tollgate/control/usage/postgres-ledger.ts'
import { serve } from '@tollgate/control/usage/testing/serve.ts'
import { copyUsage } from '@tollgate/control/usage/usage-copier.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { test } from 'tap'
import { createFakeTerminal, type Ran } from '../testing/fake-io.ts'
import { sessionPath } from './login.ts'

const program = fileURLToPath(new URL('../tollgate/run-tollgate.ts', import.meta.url))
const today = new Date().toISOString().slice(0, 10)

test('the command and control', async (t) => {
  const control = await startControl({ isProjecting: true })
  t.after(() => control.close())
  const operator = await control.signUpOperator()
  const user = await control.signUp()
  // Both users have the same password.
  const terminal = createFakeTerminal({ TOLLGATE_URL: control.url, TOLLGATE_PASSWORD: operator.password })
  const path = sessionPath({ XDG_CONFIG_HOME: terminal.configHome })
  const login = (): Promise<Ran> => terminal.run(`login --email ${operator.email}`)
  const cookie = (): string => JSON.parse(readFileSync(path, 'utf8')).cookie

  await t.test('only operators can sign in', async () => {
    const ran = await terminal.run(`login --email ${user.email}`)
    assert.deepEqual([ran.code, ran.out], [3, ''])
    assert.match(ran.err, /is not an operator/)
    assert.throws(() => statSync(path), { code: 'ENOENT' })
    const env = { TOLLGATE_PASSWORD: 'not the password' }
    assert.equal((await terminal.run(`login --email ${operator.email}`, { env })).code, 1)
  })

  await t.test(
    'the program signs in with what a pipe answers, and stores a session that only its user can read',
    async () => {
      const env = { ...nodeVariables(), XDG_CONFIG_HOME: terminal.configHome, TOLLGATE_URL: control.url }
      const child = spawn(process.execPath, [program, 'login'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
      child.stdin.end(`${operator.email}\n${operator.password}\n`)
      const [code] = await once(child, 'close')
      assert.equal(code, 0, output)
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
      for (const secret of [operator.password, cookie(), cookie().split('=')[1]!]) assert.ok(!output.includes(secret))
    }
  )

  await t.test('usage of the last seconds is a normal difference between Redis and the ledger', async () => {
    while ((await terminal.run('projection status')).code !== 0) await delay(50)
    await serve(control.redis, user.id, { model: '=cmd', costNanos: 2_000_000_000, promptTokens: 1000 })
    const ran = await terminal.run('ledger verify')
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.out, /not_copied_yet +yes/)
    await copyUsage(createPostgresLedger(control.database.orm), control.redis, 'changed')
    assert.match((await terminal.run('ledger verify')).out, /agree about/)
  })

  await t.test('usage is exported as CSV and as JSON lines', async () => {
    const csv = await terminal.run(`usage export --csv --account ${user.id} --group day,model`)
    assert.equal(csv.out.split('\r\n')[1], `${today},'=cmd,1,0,1000,4,5,2,0,0,0,0,0,0,0,0,2.00,2.00,0.00`)
    const json = await terminal.run('usage export --group model --json')
    assert.deepEqual([json.json().model, json.json().cost_usd], ['=cmd', '2.00'])
    assert.equal((await terminal.run('usage export --from 2026-01-02 --to 2026-01-01')).code, 1)
  })

  await t.test('the ledger is compared with providers: OpenAI’s export, and the documented form', async () => {
    const verify = async (csv: string, options = ''): Promise<Ran> => {
      writeFileSync(join(terminal.configHome, 'export.csv'), csv)
      return terminal.run(`ledger verify --provider export.csv${options}`)
    }
    const generic = 'date,model,requests,input_tokens,output_tokens,cost_usd\n'
    const same = await verify(`${generic}${today},=cmd,1,1000,5,1.90\n`)
    assert.equal(same.code, 0, same.err)
    assert.match(same.out, /All are within 1 per cent/)
    const seconds = Math.floor(Date.parse(today) / 1000)
    const rows = [`${seconds},small-2026-01-01,1.0,400,2`, `${seconds + 60},small-2026-01-01,0,500,3`, `${seconds},,,,`]
    const openAi = `start_time,model,num_model_requests,input_tokens,output_tokens\n${rows.join('\n')}\n`
    const differs = await verify(openAi, ' --map small-2026-01-01==cmd')
    assert.equal(differs.code, 1)
    assert.match(differs.out, /=cmd +1 +1000 \(\+100, \+11.1%\) +5 +- +NO/)
    assert.equal((await verify(openAi, ' --map small-2026-01-01==cmd --tolerance 12')).code, 0)
    const other = await verify('when,what\n1,2\n')
    assert.deepEqual([other.code, other.out], [1, ''])
    assert.match(other.err, /export.csv, row 2: the columns are neither/)
  })

  await t.test('a partner sets the budgets of a tenant’s key, and tops it up once', async () => {
    const partner = await control.signUp({ plan: 'enterprise' })
    const create = async (body: object): Promise<{ id: string; value: string }> => {
      const answer = await control.call('POST', '/api/keys', { cookie: partner.cookie, body })
      return (answer.body as { key: { id: string; value: string } }).key
    }
    const management = await create({ label: 'server', scope: 'management' })
    const tenant = await create({ label: 'tenant' })
    const env = { TOLLGATE_MANAGEMENT_KEY: management.value }
    const missing = await terminal.run(`key budget ${tenant.id}`)
    assert.deepEqual([missing.code, /Set TOLLGATE_MANAGEMENT_KEY/.test(missing.err)], [2, true])
    assert.equal((await terminal.run(`key budget ${tenant.id}`, { env })).out, 'The key has no budget.\n')
    const set = await terminal.run(`key budget ${tenant.id} --day 5 --month 20 --lifetime 25`, { env })
    assert.equal(set.code, 0, set.err)
    await terminal.run(`key budget ${tenant.id} --day none`, { env })
    for (const _time of [1, 2]) await terminal.run(`key top-up ${tenant.id} --usd 10.5 --once a`, { env })
    const { out } = await terminal.run(`key budget ${tenant.id}`, { env })
    assert.match(out, /^month +all +20 +0\.00 +0\.00 +20\.00 .*\nlifetime +all +35\.5 +0\.00 +0\.00 +35\.50 +never$/m)
    assert.doesNotMatch(out, /^day/m)
    assert.equal((await terminal.run(`key top-up ${tenant.id} --usd 1 --once a`, { env })).code, 1, 'another amount')
    assert.equal((await terminal.run(`key budget ${tenant.id} --week 1,5`, { env })).code, 2)
  })

  await t.test('ten minutes later, a command asks for the password, and goes on', async () => {
    control.passTime(10 * 60_000)
    const env = { TOLLGATE_PASSWORD: 'not the password' }
    const refused = await terminal.run('usage export --group model --csv', { env })
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /password is wrong/)
    assert.equal((await terminal.run('usage export --group model --json')).json().cost_usd, '2.00')
  })

  await t.test('a rebuild waits until Redis has everything again', async () => {
    const ran = await terminal.run('projection rebuild --reason test --yes --json')
    assert.equal(ran.code, 0, ran.err)
    const { epoch, projection } = ran.json<{ epoch: number; projection: { epoch: number; is_current: boolean } }>()
    assert.deepEqual([projection.epoch, projection.is_current], [epoch, true])
  })

  await t.test('a file that others can read is not used', async () => {
    chmodSync(path, 0o644)
    const ran = await terminal.run('projection status')
    assert.equal(ran.code, 3)
    assert.match(ran.err, /Others can read/)
    assert.equal((await login()).code, 0)
  })

  await t.test('after 12 hours, and after signing out, the session is no longer one', async () => {
    const old = cookie()
    assert.equal((await terminal.run('logout')).code, 0)
    assert.equal((await control.call('GET', '/api/auth/me', { cookie: old })).status, 401)
    assert.throws(() => statSync(path), { code: 'ENOENT' })
    assert.equal((await login()).code, 0)
    control.passTime(12 * 3_600_000 + 1)
    const ran = await terminal.run('projection status --json')
    assert.deepEqual([ran.code, ran.json<{ error: { code: string } }>().error.code], [3, 'sign_in_again'])
  })
})

test('a command of a database that does not answer exits with 4', async () => {
  const terminal = createFakeTerminal({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none?connect_timeout=1' })
  const ran = await terminal.run('migrate --check')
  assert.equal(ran.code, 4)
  assert.match(ran.err, /cannot be reached/)
})

test('migrate brings an empty database up to date, says what it did, and refuses a database that is too old', async () => {
  const terminal = createFakeTerminal()
  const directory = await newPgliteDirectory('empty')
  const env = { DATABASE_URL: `pglite:${directory}` }
  const before = await terminal.run('migrate --check --json', { env })
  assert.equal(before.code, 1)
  const { pending } = before.json<{ pending: string[] }>()
  assert.equal(pending[0], '0000_baseline')
  assert.deepEqual((await terminal.run('migrate --json', { env })).json(), { applied: pending })
  const after = await terminal.run('migrate --check', { env })
  assert.deepEqual([after.code, after.out], [0, 'The database is up to date.\n'])

  const database = await openDatabase(env.DATABASE_URL)
  await database.orm.execute('update migrations set id = 1 where id = (select min(id) from migrations)')
  await database.close()
  const refused = await terminal.run('migrate', { env })
  assert.equal(refused.code, 1)
  assert.match(refused.err, /of a release before 0\.3\.0\. Upgrade to 0\.3\.0 first: .* Nothing was changed/)
})
