import assert from 'node:assert/strict'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { test } from 'tap'
import { ApiError } from '../api/api-error.ts'
import { createOnce, readEndpointForm } from './read-endpoint-form.ts'

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

const request = { url: 'https://example.com/hooks', description: '', event_types: null }
const away = () => new ApiError(0, 'unreachable', 'away')

/** An API whose first `lost` answers to a creation do not arrive. `isDone`: whether it creates nevertheless. */
function startApi({ lost, isDone }: { lost: number; isDone: boolean }) {
  const endpoints = [{ id: 'old', url: request.url } as WebhookEndpoint]
  const calls: string[] = []
  const create = async ({ url }: { url: string }) => {
    calls.push('create')
    const endpoint = { id: `new ${calls.length}`, url } as WebhookEndpoint
    const isLost = lost-- > 0
    if (!isLost || isDone) endpoints.push(endpoint)
    if (isLost) throw away()
    return { endpoint, secret: 'first' }
  }
  const change = async (id: string) => calls.push(`change ${id}`)
  const rotate = async (id: string) => {
    calls.push(`rotate ${id}`)
    return { endpoint: endpoints.find((endpoint) => endpoint.id === id)!, secret: 'second' }
  }
  return { endpoints, calls, list: async () => ({ endpoints }), create, change, rotate }
}

test('an endpoint whose answer was lost is found again, and gets another secret', async () => {
  const api = startApi({ lost: 1, isDone: true })
  const create = createOnce(api, new Set(['old']))
  await assert.rejects(create(request), { code: 'unreachable' })
  assert.equal((await create({ ...request, url: 'https://example.com/corrected' })).secret, 'second')
  assert.deepEqual(api.calls, ['create', 'change new 1', 'rotate new 1'])
  assert.equal(api.endpoints.length, 2)
})

test('an endpoint that a lost call did not create is created by the next one', async () => {
  const api = startApi({ lost: 2, isDone: false })
  const create = createOnce(api, new Set(['old']))
  await assert.rejects(create(request), { code: 'unreachable' })
  await assert.rejects(create(request), { code: 'unreachable' })
  assert.equal((await create(request)).secret, 'first')
  assert.equal(api.endpoints.length, 2)
})
