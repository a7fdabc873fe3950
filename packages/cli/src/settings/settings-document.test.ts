import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Type } from 'typebox'
import { describeSettings } from './describe-settings.ts'
import { readExample } from './read-example.ts'
import { settingsDocument, settingsPath } from './settings-document.ts'

t.test('docs/operate/settings.md is what the settings of the services say', async () => {
  const text = readFileSync(settingsPath, 'utf8')
  assert.ok(text === settingsDocument(), 'run node packages/cli/src/settings/write-document.ts')
})

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
