import assert from 'node:assert/strict'
import { test } from 'tap'
import { chooseEmbedded, type Variables } from '../system/embedded.ts'
import { demoControlEnv } from './demo-env.ts'

const salesUrlOf = (env: Variables) => demoControlEnv(env, chooseEmbedded(env)).SALES_URL

test('the demo has an address for sales, unless a person set one, or an address for support', async () => {
  assert.equal(salesUrlOf({}), 'mailto:sales@tollgate.example')
  assert.equal(salesUrlOf({ SALES_URL: 'https://example.com' }), undefined)
  assert.equal(salesUrlOf({ SUPPORT_URL: 'https://example.com' }), undefined)
  assert.equal(salesUrlOf({ SUPABASE_URL: 'https://example.com' }), undefined, 'other people may use it')
})
