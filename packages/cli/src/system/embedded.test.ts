import assert from 'node:assert/strict'
import { inspectUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { chooseEmbedded } from './embedded.ts'
import { SystemError } from './system-error.ts'

const all = ['identity', 'payments', 'postgres', 'redis', 'models']

test('with no variable set, every part is embedded; an empty variable counts as not set', async () => {
  assert.deepEqual([...chooseEmbedded({})], all)
  assert.deepEqual([...chooseEmbedded({ SUPABASE_URL: '', REDIS_URL: '', NODE_ENV: 'development' })], all)
})

for (const [variable, part] of [
  ['SUPABASE_URL', 'identity'],
  ['STRIPE_SECRET_KEY', 'payments'],
  ['DATABASE_URL', 'postgres'],
  ['REDIS_URL', 'redis'],
  ...[...inspectUpstreamsFile(workspaceFile('deploy/upstreams.yaml'), {}).variables, 'UPSTREAMS_FILE'].map(
    (variable) => [variable, 'models'] as const
  )
] as const) {
  test(`${variable} replaces ${part} and nothing else`, async () => {
    const rest = all.filter((other) => other !== part)
    assert.deepEqual([...chooseEmbedded({ [variable]: 'set' })], rest)
  })
}

test('production refuses embedded parts and says what to set for each', async () => {
  const env = { NODE_ENV: 'production', DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' }
  assert.throws(
    () => chooseEmbedded(env),
    (error) => {
      assert.ok(error instanceof SystemError)
      assert.match(error.message, /NODE_ENV/)
      assert.match(error.message, /identity: set SUPABASE_URL/)
      assert.match(error.message, /payments: set STRIPE_SECRET_KEY/)
      assert.match(error.message, /models: set OPENAI_API_KEY or OPENAI_BASE_URL or .* or UPSTREAMS_FILE/)
      assert.doesNotMatch(error.message, /DATABASE_URL|REDIS_URL/)
      return true
    }
  )
  assert.equal(
    chooseEmbedded({ ...env, SUPABASE_URL: 'https://x', STRIPE_SECRET_KEY: 'sk', OPENAI_API_KEY: 'sk' }).size,
    0
  )
})
