import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeClients } from './describe-clients.ts'

test('the page about clients lists every tested client, with its version and what its tests show', async () => {
  const generated = describeClients()
  assert.match(generated, /\| `openai` +\| \d+\.\d+\.\d+ +\|( yes +\|){4}/)
  assert.doesNotMatch(generated, /undefined/)
})
