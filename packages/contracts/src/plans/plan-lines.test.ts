import assert from 'node:assert/strict'
import { test } from 'tap'
import { type PlanTerms, planLines } from './plan-lines.ts'

const terms: PlanTerms = {
  monthUsd: 500,
  models: { count: 71, hasAll: true },
  keys: 20,
  people: 10,
  requestsPerMinute: 2000,
  tokensPerMinute: 4_000_000,
  entitlements: ['chat', 'seats', 'partner-api', 'moon-base']
}
const formats = { usd: (usd: number) => `$${usd}`, count: String, size: String }
const textsOf = (changed: Partial<PlanTerms>) => planLines({ ...terms, ...changed }, formats).map(({ text }) => text)

test('a plan is described in words, and unknown features by their names', async () => {
  assert.deepEqual(textsOf({}), [
    'Up to $500 of usage a month',
    'All 71 models',
    '20 API keys',
    '10 people',
    '2000 requests a minute',
    '4000000 tokens a minute',
    'API to create keys for your customers',
    'moon-base'
  ])
})

test('nouns agree with their number, and nothing unknown is said', async () => {
  const texts = textsOf({ models: { count: 1, hasAll: false }, keys: 1, people: null, entitlements: [] })
  assert.deepEqual(texts.slice(1, 4), ['1 model', '1 API key', 'Any number of people'])
  assert.equal(textsOf({ models: null })[1], '20 API keys')
})
