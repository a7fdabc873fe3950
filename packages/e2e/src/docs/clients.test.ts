import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { describeClients, generatedMark } from './describe-clients.ts'

test('the page about clients lists every tested client, with its version and what its tests show', async () => {
  const [, generated] = readFileSync(workspaceFile('docs/clients.md'), 'utf8').split(generatedMark)
  assert.equal(generated, describeClients(), 'run node packages/e2e/src/docs/write-clients.ts')
  assert.match(generated!, /\| `openai` +\| \d+\.\d+\.\d+ +\|( yes +\|){4}/)
  assert.doesNotMatch(generated!, /undefined/)
})
