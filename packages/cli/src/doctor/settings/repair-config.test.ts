import assert from 'node:assert/strict'
import { loadControlConfig } from '@tollgate/control/config.ts'
import { test } from 'tap'
import { repairConfig, type Variables } from './repair-config.ts'

const right: Variables = {
  PUBLIC_URL: 'https://app.example.com',
  SUPABASE_URL: 'https://x.supabase.co',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost'
}
const repair = (change: Variables) => repairConfig(loadControlConfig, { ...right, ...change })

test('a right configuration stays as it is', async () => {
  const { config, problems, invalid } = repair({})
  assert.equal(config?.publicUrl, 'https://app.example.com')
  assert.deepEqual([problems, invalid.size], [[], 0])
})

test('problems of single variables and of rules between variables are found together', async () => {
  const { config, problems, invalid } = repair({
    SUPABASE_URL: undefined,
    CONTROL_PORT: 'x',
    TRUST_PROXY: 'perhaps',
    CORS_EXTRA_ORIGINS: 'http://localhost/path'
  })
  assert.deepEqual([...invalid].toSorted(), ['CONTROL_PORT', 'CORS_EXTRA_ORIGINS', 'SUPABASE_URL', 'TRUST_PROXY'])
  assert.equal(problems.length, 4)
  assert.equal(config?.redisUrl, 'redis://localhost')
})

test('without PUBLIC_URL, SERVICE_DOMAIN is not called wrong', async () => {
  const { problems } = repair({ PUBLIC_URL: undefined, SERVICE_DOMAIN: 'example.com' })
  assert.equal(problems.length, 1)
  assert.match(problems[0]!, /^PUBLIC_URL: missing/)
})
