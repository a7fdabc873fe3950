import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { createProviderChecks, judgeAnonAnswer, judgeServiceRoleAnswer, judgeStripeAnswer } from './check-providers.ts'
import { createProviderHealth } from './provider-health.ts'

const keys = { anon: 'anon-hunter2', service: 'service-hunter2', stripe: 'sk_live_hunter2' }

/** A server for both providers that answers each path with a status. */
async function startChecks(t: Test, statusOf: (path: string) => number) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    paths.push(pathname)
    response.writeHead(statusOf(pathname), { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const lines: unknown[][] = []
  const write = (...line: unknown[]) => void lines.push(line)
  const log = { info: write, warn: write, error: write }
  const health = createProviderHealth(log)
  const config = {
    identity: { url, anonKey: keys.anon, serviceRoleKey: keys.service },
    payments: { secretKey: keys.stripe, apiBase: url }
  }
  const checks = createProviderChecks({ config, health, log })
  t.after(async () => {
    await checks.stop()
    server.close()
  })
  checks.start()
  return { health, paths, text: () => JSON.stringify([lines, health.problems()]) }
}

test('each refused key is named with its variable and its cure, and never shown', async (t) => {
  const { health, text } = await startChecks(t, (path) => (path.includes('admin') ? 403 : 401))
  while (health.problems().length < 3) await delay(5)
  const problems = Object.fromEntries(health.problems().map(({ what, problem }) => [what, problem]))
  assert.match(problems.STRIPE_SECRET_KEY ?? '', /refuses this key.*dashboard\.stripe\.com/)
  assert.match(problems.SUPABASE_ANON_KEY ?? '', /refuses this key.*anon/)
  assert.match(problems.SUPABASE_SERVICE_ROLE_KEY ?? '', /administration.*service role/)
  assert.doesNotMatch(text(), /hunter2/)
})

test('a provider that fails for another reason is asked again, until it answers', async (t) => {
  let isAway = true
  const { health, paths } = await startChecks(t, (path) => (isAway ? 503 : path === '/v1/subscriptions' ? 401 : 200))
  while (paths.length < 3) await delay(5)
  assert.deepEqual(health.problems(), [])
  isAway = false
  while (health.problems().length === 0) await delay(20)
  assert.deepEqual(
    health.problems().map(({ what }) => what),
    ['STRIPE_SECRET_KEY']
  )
})

test('another server at SUPABASE_URL is named', async (t) => {
  const { health } = await startChecks(t, (path) => (path.startsWith('/auth') ? 404 : 200))
  while (health.problems().length === 0) await delay(5)
  assert.deepEqual(
    health.problems().map(({ what }) => what),
    ['SUPABASE_URL']
  )
})

test('later answers update the state; those about users, rights or failures do not', async () => {
  const lines: unknown[] = []
  const write = (...line: unknown[]) => void lines.push(line)
  const { report, problems } = createProviderHealth({ info: write, warn: write, error: write })
  judgeStripeAnswer(403, report)
  judgeStripeAnswer(500, report)
  judgeAnonAnswer('/auth/v1/user', 401, report)
  judgeServiceRoleAnswer('/auth/v1/logout', 403, report)
  assert.deepEqual(problems(), [])
  for (let call = 0; call < 3; call++) judgeStripeAnswer(401, report)
  judgeAnonAnswer('/auth/v1/token', 401, report)
  judgeServiceRoleAnswer('/auth/v1/admin/users', 401, report)
  assert.equal(problems().length, 3)
  assert.equal(lines.length, 3, 'each problem is logged once')
  judgeStripeAnswer(200, report)
  judgeAnonAnswer('/auth/v1/token', 200, report)
  judgeServiceRoleAnswer('/auth/v1/admin/users/1', 200, report)
  assert.deepEqual(problems(), [])
})
