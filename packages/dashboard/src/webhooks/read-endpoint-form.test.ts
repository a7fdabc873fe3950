import assert from 'node:assert/strict'
import { test } from 'tap'
import { readEndpointForm } from './read-endpoint-form.ts'

function form(fields: ReadonlyArray<readonly [string, string]>): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  return data
}

test('all events are null, and selected types are a list', async () => {
  const url = ['url', ' https://example.com/hooks '] as const
  const types = [
    ['event_types', 'key.created'],
    ['event_types', 'key.revoked']
  ] as const
  const all = readEndpointForm(form([url, ['type_choice', 'all'], ...types]))
  assert.deepEqual(all, { ok: true, values: { url: url[1].trim(), description: '', event_types: null } })
  const some = readEndpointForm(form([url, ['type_choice', 'some'], ['description', ' Orders '], ...types]))
  assert.deepEqual(some.ok && some.values, {
    url: url[1].trim(),
    description: 'Orders',
    event_types: ['key.created', 'key.revoked']
  })
})

test('an address must be one, and a selection must not be empty', async () => {
  for (const [url, problem] of [
    ['', 'Enter the address of your server.'],
    ['example.com/hooks', 'Enter an address such as https://example.com/webhooks.'],
    ['ftp://example.com', 'Enter an address such as https://example.com/webhooks.']
  ] as const) {
    const reading = readEndpointForm(form([['url', url]]))
    assert.deepEqual(reading, { ok: false, problems: { url: problem } })
  }
  const reading = readEndpointForm(
    form([
      ['url', 'https://example.com'],
      ['type_choice', 'some']
    ])
  )
  assert.deepEqual(!reading.ok && Object.keys(reading.problems), ['event_types'])
})
