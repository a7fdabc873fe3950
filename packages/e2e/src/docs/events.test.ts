import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { describeAllEvents, eventsMark } from './describe-events.ts'

test('the page about webhooks lists every event with its data', async () => {
  const [, generated] = readFileSync(workspaceFile('docs/webhooks.md'), 'utf8').split(eventsMark)
  assert.equal(generated, describeAllEvents(), 'run node packages/e2e/src/docs/write-events.ts')
})
