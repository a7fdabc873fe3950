import assert from 'node:assert/strict'
import { test } from 'tap'
import { hostedCalls } from './hosted-calls.ts'

const callsOf = (items: Parameters<typeof hostedCalls>[0], toolUsage?: unknown) =>
  Object.fromEntries(hostedCalls(items, toolUsage))

test('calls of tools are counted from the output and from the report, whichever has more', async () => {
  const items = ['web_search_call', 'file_search_call', 'file_search_call', 'function_call', 'message']
  assert.deepEqual(
    callsOf(
      items.map((type) => ({ type })),
      { web_search: { num_requests: 3 } }
    ),
    { web_search: 3, file_search: 2 }
  )
  assert.deepEqual(callsOf([], null), {})
})

test('only searches that were completed are counted, and not the pages that they opened', async () => {
  const type = 'web_search_call'
  const items = [
    { type, status: 'completed', action: 'search' },
    { type, status: 'completed', action: 'open_page' },
    { type, status: 'completed', action: 'find_in_page' },
    { type, status: 'failed', action: 'search' },
    { type, status: 'completed' }
  ]
  assert.deepEqual(callsOf(items), { web_search: 2 })
})
