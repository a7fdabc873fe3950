import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { addDemoData } from '../demo-data/add-demo-data.ts'
import { demoKeys } from '../demo-data/demo-keys.ts'
import { signInDemoUser } from '../demo-data/demo-session.ts'
import { runStart, startEnv } from '../testing/start-run.ts'

t.setTimeout(300_000)
const run = promisify(execFile)
const main = fileURLToPath(new URL('./demo-data.ts', import.meta.url))

/** Is removed after the system that uses it has ended. tap removes `t.testdir()` before. */
async function dataDirectory(t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-demo-data-'))
  t.after(() => rm(directory, { recursive: true, maxRetries: 5 }))
  return directory
}

interface Bucket {
  readonly start: string
  readonly requests: number
  readonly cost_usd: string
}

t.test('demo data fills a running system once, and the reports show it', async (t) => {
  const env = await startEnv(await dataDirectory(t))
  await assert.rejects(run(process.execPath, [main], { env }), { code: 1, stderr: /Run npm start first/ })
  const start = runStart(t, 'program', env)
  await start.until('Press Ctrl-C to stop everything.')

  const { stdout } = await run(process.execPath, [main], { env })
  const count = Number(/(\d+) requests/.exec(stdout)?.[1])
  assert.ok(count > 1000, stdout)
  const session = await signInDemoUser(`http://localhost:${env.CONTROL_PORT}`)
  const from = new Date(Date.now() - 64 * 86_400_000).toISOString()
  const read = async () =>
    (await session.call<{ buckets: Bucket[] }>('GET', `/api/usage?from=${from}&interval=day`)).buckets
  const requestsOf = (buckets: readonly Bucket[]) => buckets.reduce((sum, { requests }) => sum + requests, 0)
  let buckets = await read()
  while (requestsOf(buckets) < count) {
    await delay(200)
    buckets = await read()
  }
  assert.equal(requestsOf(buckets), count)
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

  const again = await run(process.execPath, [main], { env })
  assert.match(again.stdout, /already/)
  const { keys } = await session.call<{ keys: Array<{ label: string }> }>('GET', '/api/keys')
  assert.deepEqual(keys.map(({ label }) => label).toSorted(), demoKeys.map(({ label }) => label).toSorted())
  assert.equal(requestsOf(await read()), count)
})

t.test('npm start fills a new demo account, and never one that had a key', async (t) => {
  const env: Record<string, string> = { ...(await startEnv(await dataDirectory(t))), TOLLGATE_DEMO_DATA: 'on' }
  const start = runStart(t, 'program', env)
  await start.until('Press Ctrl-C to stop everything.')
  const session = await signInDemoUser(`http://localhost:${env.CONTROL_PORT}`)
  const labels = async () => {
    const { keys } = await session.call<{ keys: Array<{ label: string }> }>('GET', '/api/keys?include_revoked=true')
    return keys.map(({ label }) => label).toSorted()
  }
  const spent = async () => Number((await session.call<{ spent_usd: string }>('GET', '/api/usage/summary')).spent_usd)
  while ((await spent()) === 0) await delay(200)
  assert.deepEqual(await labels(), demoKeys.map(({ label }) => label).toSorted())
  const added = await addDemoData({
    ...{ control: `http://localhost:${env.CONTROL_PORT}`, redis: '', isLogged: true, onlyIfNew: true },
    ...{ payments: null, dataDir: null }
  })
  assert.equal(added, null)
})
