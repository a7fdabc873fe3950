import assert from 'node:assert/strict'
import { test } from 'tap'
import { refuseProduction } from './run-program.ts'

test('embedded servers refuse NODE_ENV=production and accept every other value', async () => {
  assert.throws(() => refuseProduction({ NODE_ENV: 'production' }), /NODE_ENV/)
  for (const value of [undefined, '', 'development', 'test', 'Production?']) refuseProduction({ NODE_ENV: value })
})
