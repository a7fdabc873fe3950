import { connect, type Socket } from 'node:net'
import type { TestGateway } from './start-gateway.ts'

/** Sends a request to a path below `/v1`. A body that is not text is sent as JSON. */
export function post(
  gateway: Pick<TestGateway, 'url'>,
  secret: string | null,
  path: string,
  body: unknown,
  options: RequestInit = {}
): Promise<Response> {
  return fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options
  })
}

export const chatOf = (model: string, members: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  ...members
})

/** Status and code of a failure, or the status alone. */
export async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text()
  if (response.ok) return String(response.status)
  const { error } = JSON.parse(text) as { error: { message: string; type: string; code: string } }
  return `${response.status} ${error.code}`
}

/** A connection on which a test writes any bytes. */
export function rawConnection(gateway: Pick<TestGateway, 'url'>): Socket {
  return connect(Number(new URL(gateway.url).port), '127.0.0.1')
}
