import assert from 'node:assert/strict'
import { knownVariables } from '@tollgate/service/config/known-variables.ts'
import { test } from 'tap'
import { nearestName } from './nearest-name.ts'

test('the nearest known name is found for typing errors and forgotten words', async () => {
  const known = [...knownVariables]
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
  const known = [...knownVariables]
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
