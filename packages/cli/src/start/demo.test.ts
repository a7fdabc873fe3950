import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { chooseEmbedded, type Variables } from '../system/embedded.ts'
import { SystemError } from '../system/system-error.ts'
import { chooseDemo, demoControlEnv } from './demo.ts'

const envOf = (env: Variables) => demoControlEnv(env, chooseEmbedded(env))

test('the demo has an address for sales, unless a person set one, or an address for support', async () => {
  assert.equal(envOf({}).SALES_URL, 'mailto:sales@tollgate.example')
  assert.equal(envOf({ SALES_URL: 'https://example.com' }).SALES_URL, undefined)
  assert.equal(envOf({ SUPPORT_URL: 'https://example.com' }).SALES_URL, undefined)
  assert.equal(envOf({ SUPABASE_URL: 'https://example.com' }).SALES_URL, undefined, 'other people may use it')
})

test('the demo has all public pages, and a person’s own texts and address replace its examples', async () => {
  const { SITE_TEXTS, SUPPORT_URL } = envOf({})
  assert.equal(SITE_TEXTS, workspaceFile('deploy/site-texts'))
  assert.equal(SUPPORT_URL, 'mailto:support@example.com')
  const own = { SITE_TEXTS: '/own', SUPPORT_URL: 'https://example.com' }
  assert.partialDeepStrictEqual(envOf(own), own)
  assert.equal(envOf({ SUPABASE_URL: 'https://example.com' }).SITE_TEXTS, undefined, 'other people may use it')
})

test('on the demo, webhooks may go to this machine, unless a person chose networks or a part is real', async () => {
  assert.equal(envOf({}).WEBHOOK_ALLOWED_NETWORKS, '127.0.0.0/8,::1/128')
  assert.equal(envOf({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' }).WEBHOOK_ALLOWED_NETWORKS, '10.0.0.0/8')
  assert.equal(envOf({ DATABASE_URL: 'postgres://localhost/x' }).WEBHOOK_ALLOWED_NETWORKS, undefined)
})

test('with demo users, control serves this machine and the public host only, unless a person chose the hosts', async () => {
  assert.equal(envOf({}).ALLOWED_HOSTS, 'localhost,127.0.0.1,[::1]')
  assert.equal(
    envOf({ PUBLIC_URL: 'https://tollgate.test:8443' }).ALLOWED_HOSTS,
    'localhost,127.0.0.1,[::1],tollgate.test'
  )
  assert.equal(envOf({ ALLOWED_HOSTS: 'a.test' }).ALLOWED_HOSTS, 'a.test')
  assert.equal(envOf({ SUPABASE_URL: 'https://example.com' }).ALLOWED_HOSTS, undefined)
})

test('with demo users, no service listens on an address of other machines', async () => {
  for (const name of ['CONTROL_HOST', 'GATEWAY_HOST']) {
    for (const host of ['0.0.0.0', '::', '192.168.1.2']) {
      assert.throws(
        () => envOf({ [name]: host }),
        (error) => error instanceof SystemError && error.message.includes(name)
      )
      assert.doesNotThrow(() => envOf({ [name]: host, SUPABASE_URL: 'https://example.com' }))
    }
    for (const host of ['127.0.0.1', '::1', 'localhost', '']) assert.doesNotThrow(() => envOf({ [name]: host }))
  }
})

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

test('from the shipped catalog, the demo uses a plan with several keys and one of its chat models', async () => {
  const { plan, model } = chooseDemo(shipped)
  assert.ok((shipped.plans[plan]?.keyQuota ?? 0) > 1)
  assert.ok(model !== null)
  assert.equal(shipped.models[model]?.kind, 'chat')
  assert.ok(shipped.plans[plan]?.models.includes(model))
})

test('without such a plan the demo uses the free plan, and without chat models no model', async () => {
  const { free } = shipped.plans
  assert.ok(free !== undefined)
  assert.equal(chooseDemo({ ...shipped, plans: { free } }).plan, 'free')
  const embeddings = { ...free, models: ['text-embedding-3-small'] }
  assert.deepEqual(chooseDemo({ ...shipped, plans: { free: embeddings } }), { plan: 'free', model: null })
})
