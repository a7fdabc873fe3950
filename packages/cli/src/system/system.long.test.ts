import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import t from 'tap'
import { demoUser } from '../demo-data/add-demo-data.ts'
import { seedDemoUsers } from '../start/demo.ts'
import { choosePorts } from './ports.ts'
import { type System, startSystem } from './system.ts'

t.setTimeout(300_000)

t.test(
  'parts are replaced, killed and started one by one, and gateways serve without control and identity',
  async (t) => {
    const redis = await startRedis({ port: 0 })
    t.after(() => redis.stop())
    const dataDir = join(t.testdir(), 'data')
    // A directory that others may read.
    const umask = process.umask(0)
    t.after(() => void process.umask(umask))
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'old'), '')
    const notices: string[] = []
    const crashes: string[] = []
    const system = await startSystem({
      env: { PATH: process.env.PATH, ...nodeVariables(), REDIS_URL: redis.url },
      ports: await choosePorts(),
      dataDir,
      gateways: 2,
      onNotice: (text) => notices.push(text),
      onCrash: (part, how) => crashes.push(`${part} ended ${how}`)
    })
    t.after(() => system.stop())
    assert.deepEqual([...system.parts.keys()], ['identity', 'payments', 'models', 'control', 'gateway', 'gateway-2'])
    assert.equal(system.addresses.redis, redis.url)
    assert.throws(() => system.part('redis'), /no part redis/)

    const models = (gateway: string | undefined, key?: string) =>
      fetch(`${gateway}/v1/models`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
    assert.equal(system.addresses.gateways.length, 2)
    for (const gateway of system.addresses.gateways) assert.equal((await models(gateway)).status, 401)

    const second = system.part('gateway-2')
    const { pid } = second
    await second.kill('SIGKILL')
    await assert.rejects(models(system.addresses.gateways[1]))
    assert.equal((await models(system.addresses.gateways[0])).status, 401)
    await second.start()
    assert.notEqual(second.pid, pid)
    assert.equal((await models(system.addresses.gateways[1])).status, 401)

    await system.part('control').restart()
    assert.equal((await fetch(`${system.addresses.controlAdmins[0]}/readyz`)).status, 200)
    assert.match(readFileSync(join(dataDir, 'logs/control.log'), 'utf8'), /stopping/)

    const key = await createKey(system)
    await Promise.all([system.part('control').stop(), system.part('identity').stop()])
    for (const gateway of system.addresses.gateways) assert.equal((await models(gateway, key)).status, 200)

    assert.deepEqual(notices, [`Other users of this machine had access to 2 files in ${dataDir}. They no longer do.`])
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0
    assert.equal(isOpen(dataDir), false)
    // PGlite sets the modes of its own files, in directories that only their owner can open.
    const open = files
      .filter((file) => file.isDirectory() || !file.parentPath.startsWith(join(dataDir, 'postgres')))
      .map((file) => join(file.parentPath, file.name))
      .filter(isOpen)
    assert.deepEqual(open, [], 'nothing is accessible to others')

    await Promise.all([system.stop(), system.stop()])
    for (const part of system.parts.values()) assert.equal(part.isRunning, false)
    assert.deepEqual(crashes, [])
  }
)

t.test('a failed part stops the others, and the error names it', async (t) => {
  const start = startSystem({
    // The embedded identity server is the first part to refuse this.
    env: { PATH: process.env.PATH, ...nodeVariables(), SANDBOX_MAIL_TEMPLATES: 'none' },
    ports: await choosePorts(),
    dataDir: t.testdir()
  })
  await assert.rejects(
    start,
    /^SystemError: identity ended with status 1 before it was ready\. .*\n.*\n? *SANDBOX_MAIL_TEMPLATES/
  )
})

/** Creates a key of the demo user and returns its secret. */
async function createKey({ addresses, secrets }: System): Promise<string> {
  await seedDemoUsers(addresses.identity, secrets.serviceRoleKey, 'pro')
  const ask = (path: string, body: unknown, cookie = '') =>
    fetch(`${addresses.control}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body)
    })
  const login = await ask('/auth/login', { email: demoUser.email, password: demoUser.password })
  const created = await ask('/keys', { label: 'test' }, login.headers.getSetCookie()[0]?.split(';')[0])
  assert.equal(created.status, 201)
  const { key } = (await created.json()) as { key: CreatedKey }
  return key.value
}
