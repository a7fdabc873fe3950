import assert from 'node:assert/strict'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { test } from 'tap'
import { ApiError } from '../api/api-error.ts'
import { createOnce } from './create-endpoint.ts'

const asked = { url: 'https://example.com/hooks', description: '', event_types: null }
const away = () => new ApiError(0, 'unreachable', 'away')

/** An API whose first `lost` answers to a creation do not arrive. `isDone`: whether it creates nevertheless. */
function startApi({ lost, isDone }: { lost: number; isDone: boolean }) {
  const endpoints = [{ id: 'old', url: asked.url } as WebhookEndpoint]
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
  await assert.rejects(create(asked), { code: 'unreachable' })
  assert.equal((await create({ ...asked, url: 'https://example.com/corrected' })).secret, 'second')
  assert.deepEqual(api.calls, ['create', 'change new 1', 'rotate new 1'])
  assert.equal(api.endpoints.length, 2)
})

test('an endpoint that a lost call did not create is created by the next one', async () => {
  const api = startApi({ lost: 2, isDone: false })
  const create = createOnce(api, new Set(['old']))
  await assert.rejects(create(asked), { code: 'unreachable' })
  await assert.rejects(create(asked), { code: 'unreachable' })
  assert.equal((await create(asked)).secret, 'first')
  assert.equal(api.endpoints.length, 2)
})
