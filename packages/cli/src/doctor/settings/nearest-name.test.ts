import assert from 'node:assert/strict'
import { test } from 'tap'
import { knownVariables } from './known-variables.ts'
import { editDistance, nearestName } from './nearest-name.ts'

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

test('the nearest known name is found for typing errors and forgotten words', async () => {
  const known = knownVariables()
  for (const [unknown, expected] of [
    ['STRIPE_SECRTE_KEY', 'STRIPE_SECRET_KEY'],
    ['STRIPE_KEY', 'STRIPE_SECRET_KEY'],
    ['SUPABASE_SERVICE_KEY', 'SUPABASE_SERVICE_ROLE_KEY'],
    ['SUPABASE_SERVICEROLE_KEY', 'SUPABASE_SERVICE_ROLE_KEY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['GATEWAY_URL', 'GATEWAY_PUBLIC_URL'],
    ['UPSTREAM_FILE', 'UPSTREAMS_FILE']
  ]) {
    assert.equal(nearestName(unknown!, known), expected, unknown)
  }
})

test('names of other programs have no nearest name', async () => {
  const known = knownVariables()
  for (const name of [
    'PATH',
    'HOME',
    'API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'NODE_OPTIONS',
    'STRIPE_PUBLISHABLE_KEY',
    'LANG',
    'PGHOST'
  ]) {
    assert.equal(nearestName(name, known), null, name)
  }
})
