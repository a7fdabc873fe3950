import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { workspaceFile } from '../workspace.ts'
import { knownVariables } from './known-variables.ts'
import { editDistance, findUnknownVariables, nearest } from './unknown-variables.ts'

const plans = ['free', 'pro', 'team', 'enterprise']

test('a misspelt name gets the nearest known one', async () => {
  assert.equal(nearest('enterprice', plans), 'enterprise')
  assert.equal(nearest('Enterprise', plans), 'enterprise')
  assert.equal(nearest('fre', plans), 'free')
  assert.equal(nearest('STRIPE_SECRET', ['STRIPE_SECRET_KEY', 'STRIPE_API_BASE']), 'STRIPE_SECRET_KEY')
  assert.equal(nearest('teem', ['teams', 'team']), 'team')
})

test('a name that is like no known one gets null', async () => {
  assert.equal(nearest('gold', plans), null)
  assert.equal(nearest('', plans), null)
  assert.equal(nearest('pro', []), null)
  assert.equal(nearest('REDIS_HOST', ['REDIS_URL'], 2), null)
})

test('the edit distance counts an exchange of neighbours as one', async () => {
  for (const [one, other, distance] of [
    ['', 'ab', 2],
    ['SECRET', 'SECRET', 0],
    ['SECRTE', 'SECRET', 1],
    ['SECRT', 'SECRET', 1],
    ['kitten', 'sitting', 3]
  ] as const) {
    assert.equal(editDistance(one, other), distance, `${one} ${other}`)
    assert.equal(editDistance(other, one), distance, `${other} ${one}`)
  }
})

test('a misspelt variable is named with the nearest known one, and without its value', async () => {
  const env = { STRIPE_SECRET: 'sk_live_hunter2', REDIS_URI: 'redis://:hunter2@host', SUPABASE_SERVICE_KEY: 'hunter2' }
  assert.deepEqual(findUnknownVariables(env), [
    'REDIS_URI: no such variable. Did you mean REDIS_URL?',
    'STRIPE_SECRET: no such variable. Did you mean STRIPE_SECRET_KEY?',
    'SUPABASE_SERVICE_KEY: no such variable. Did you mean SUPABASE_SERVICE_ROLE_KEY?'
  ])
})

test('variables of other programs cause no warning', async () => {
  const others = ['PATH', 'HOME', 'HOSTNAME', 'NODE_OPTIONS', 'NODE_VERSION', 'PGPASSWORD', 'SUPABASE_DB_PASSWORD']
  const ofKubernetes = ['REDIS_PORT', 'REDIS_SERVICE_HOST', 'GATEWAY_PORT_8080_TCP_ADDR', 'CONTROL_SERVICE_PORT']
  const ours = ['REDIS_URL', 'OPENAI_API_KEY', 'OPENAI_API_KEY_2', 'TOLLGATE_KEY']
  const env = Object.fromEntries([...others, ...ofKubernetes, ...ours].map((name) => [name, 'x']))
  assert.deepEqual(findUnknownVariables(env), [])
})

test('every variable of .env.example is known', async () => {
  const example = readFileSync(workspaceFile('.env.example'), 'utf8')
  for (const [, name = ''] of example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)) assert.ok(knownVariables.has(name), name)
})
