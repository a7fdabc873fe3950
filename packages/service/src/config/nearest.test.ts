import assert from 'node:assert/strict'
import { test } from 'tap'
import { nearest } from './nearest.ts'

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
