import assert from 'node:assert/strict'
import t from 'tap'
import { Type } from 'typebox'
import { describeSettings, readExample } from './describe-settings.ts'

t.test('a default that .env.example shows wrongly is found', async () => {
  const schema = Type.Object({ A_PORT: Type.Integer({ minimum: 0, default: 3000 }) })
  const lists = (value: string) =>
    describeSettings(
      readExample(`# ---- Ports. ----\n\n# The port.\n# A_PORT=${value}\n`),
      [{ name: 'a', schema }],
      '/'
    )
  assert.match(
    lists('3000'),
    /^## Ports\n\n- \*\*`A_PORT`\*\* \(a; a whole number of 0 or more; default `3000`\): The port\.\n$/
  )
  assert.throws(() => lists('3001'), /A_PORT/)
})
