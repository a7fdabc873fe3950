import assert from 'node:assert/strict'
import { test } from 'tap'
import { refuseProduction } from './refuse-production.ts'

test('stand-ins refuse production, naming the variable, and nothing else', async () => {
  assert.throws(() => refuseProduction({ NODE_ENV: 'production' }), /NODE_ENV/)
  for (const value of [undefined, '', 'development', 'test', 'Production?']) refuseProduction({ NODE_ENV: value })
})
