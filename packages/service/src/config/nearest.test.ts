import assert from 'node:assert/strict'
import { test } from 'tap'
import { editDistance, nearest } from './nearest.ts'

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
