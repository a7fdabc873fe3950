import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { test } from 'tap'
import { defaultPorts } from '../system/ports.ts'
import { loadStartConfig } from './config.ts'

test('without variables: the default ports, .tollgate, problems on the terminal, the shipped catalog', async () => {
  const config = loadStartConfig({})
  assert.deepEqual(config.ports, defaultPorts)
  assert.equal(config.dataDir, '.tollgate')
  assert.equal(config.shownLog, 'problems')
  assert.equal(config.hasDemoData, true)
  assert.ok(existsSync(config.catalogFile))
})

test('each port has a variable, and unknown variables are passed on', async () => {
  for (const variable of Object.keys(defaultPorts)) {
    const config = loadStartConfig({ [variable]: '12345', OTHER: 'x' })
    assert.deepEqual(config.ports, { ...defaultPorts, [variable]: 12345 })
    assert.equal(config.env.OTHER, 'x')
  }
})

test('the error names every invalid variable', async () => {
  assert.throws(
    () => loadStartConfig({ CONTROL_PORT: '70000', SANDBOX_REDIS_PORT: 'six', TOLLGATE_LOG: 'none' }),
    (error) => {
      assert.ok(error instanceof ConfigError)
      for (const name of ['CONTROL_PORT', 'SANDBOX_REDIS_PORT', 'TOLLGATE_LOG']) {
        assert.match(error.message, new RegExp(name))
      }
      return true
    }
  )
})
