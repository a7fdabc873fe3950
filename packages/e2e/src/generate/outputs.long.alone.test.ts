import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { outputs } from './outputs.ts'

// Alone, because some of the clients that docs/clients.md lists add listeners to the process when they are loaded.
for (const { path, platform = process.platform, generate } of outputs) {
  t.test(`${path} is what npm run generate writes`, async (t) => {
    if (!need(t, platform, platform === process.platform ? platform : null)) return
    assert.equal(readFileSync(workspaceFile(path), 'utf8'), generate(), 'run npm run generate')
  })
}

t.test('the page about clients lists every tested client, with its version and what its tests show', async () => {
  const { generate } = outputs.find(({ path }) => path === 'docs/clients.md')!
  assert.match(generate(), /\| `openai` +\| \d+\.\d+\.\d+ +\|( yes +\|){4}/)
  assert.doesNotMatch(generate(), /undefined/)
})
