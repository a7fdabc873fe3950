import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { outputs } from './outputs.ts'

for (const { path, platform = process.platform, generate } of outputs) {
  t.test(`${path} is what npm run generate writes`, async (t) => {
    if (!need(t, platform, platform === process.platform ? platform : null)) return
    assert.equal(readFileSync(workspaceFile(path), 'utf8'), generate(), 'run npm run generate')
  })
}
