import assert from 'node:assert/strict'
import { loadControlConfig } from '@tollgate/control/config.ts'
import { loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { readUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { test } from 'tap'
import { wrongSettings } from './document.ts'
import { rightSettings, secretMark } from './world.ts'
import { patternOf } from './wrong-setting.ts'

/** Reads settings as the main module of a service does. */
const load = {
  control: loadControlConfig,
  gateway: (env: Record<string, string>) => readUpstreamsFile(loadGatewayConfig(env).UPSTREAMS_FILE, env)
}

test('each wrong setting that a service refuses at load is named with its cure, without a secret', async () => {
  const right = rightSettings({
    redis: 'redis://127.0.0.1',
    database: 'postgres://127.0.0.1/postgres',
    identity: 'http://127.0.0.1:1',
    payments: 'http://127.0.0.1:2',
    models: 'http://127.0.0.1:3'
  })
  for (const service of ['control', 'gateway'] as const) load[service](right[service])
  assert.ok(wrongSettings.length >= 30)
  const rows = wrongSettings.filter(({ isRefusedAtLoad }) => isRefusedAtLoad)
  assert.ok(rows.length >= 25, String(rows.length))
  for (const { service, setting, env, says } of rows) {
    const wrong = { ...right[service], ...(env as () => Record<string, string>)() }
    assert.throws(
      () => load[service](wrong),
      ({ message }: Error) => {
        assert.match(message, patternOf(says), setting)
        assert.ok(!message.includes(secretMark), `${setting}: a secret is shown`)
        return true
      },
      `${setting} is accepted`
    )
  }
})
