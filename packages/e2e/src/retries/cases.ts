import type { ServerResponse } from 'node:http'

/** How a fake provider answers a call. */
export type Behaviour = (response: ServerResponse) => void

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`

export const fine: Behaviour = (response) =>
  void response.writeHead(200, json).end('{"object":"chat.completion","choices":[{"message":{"content":"Hi"}}]}')

export const status =
  (status: number, headers: Record<string, string> = {}, error: object = { message: 'no' }): Behaviour =>
  (response) =>
    void response.writeHead(status, { ...json, ...headers }).end(JSON.stringify({ error }))

const fineStream: Behaviour = (response) =>
  void response.writeHead(200, events).end(`${event({ content: 'Hi' })}data: [DONE]\n\n`)
const reset: Behaviour = (response) => void response.destroy()
const silent: Behaviour = () => {}
const cutStream: Behaviour = (response) => {
  response.writeHead(200, events).write(event({ content: 'x' }), () => response.destroy())
}
const cutBody: Behaviour = (response) => {
  const begun = '{"object":"chat.completion","choices":[{"message":{"content":"Hel'
  response.writeHead(200, { ...json, 'content-length': '1000' }).write(begun, () => response.destroy())
}

const emptyStream: Behaviour = (response) => void response.writeHead(200, events).end()
const page: Behaviour = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
const okError: Behaviour = (response) => void response.writeHead(200, json).end('{"error":{"message":"overloaded"}}')
const cutJson: Behaviour = (response) => void response.writeHead(200, json).end('{"object":')

export interface Case {
  /** As in the table. */
  name: string
  /** What each upstream of the route does, in order. */
  route: Array<Behaviour | 'refused' | 'breaker open'>
  stream?: boolean
  /** Whether the retry budgets of the upstreams are used up. */
  hasNoRetries?: boolean
  /** What the SDK's caller gets: `200`, status and code, or another failure. */
  outcome: string
  /** Requests of the SDK. */
  tries: number
  /** Calls of all providers. */
  calls: number
  /** Maximum duration without the providers' own time. Documented, not tested. */
  time: string
}

const quota = status(429, {}, { message: 'You exceeded your current quota', type: 'insufficient_quota' })
// Longer than the gateway waits before a retry.
const longWait = { 'retry-after': '3' }
const failed = '502 upstream_error'
const limited = '503 upstream_rate_limited'
const rejected = '502 upstream_rejected_credentials'
const exhausted = '502 upstream_quota_exhausted'

/** The rows of docs/retries.md, in its order. */
export const cases: Case[] = [
  { name: '500, 502, 503 or 529', route: [status(500)], outcome: failed, tries: 1, calls: 3, time: '0.6 s' },
  { name: '500, the next works', route: [status(500), fine], outcome: '200', tries: 1, calls: 2, time: 'at once' },
  { name: '500, all fail', route: [status(500), status(500)], outcome: failed, tries: 1, calls: 3, time: '0.2 s' },
  {
    name: '500, no retries left in the budget',
    route: [status(500)],
    hasNoRetries: true,
    outcome: failed,
    tries: 3,
    calls: 3,
    time: '1.5 s'
  },
  {
    name: '503 with `Retry-After: 1`',
    route: [status(503, { 'retry-after': '1' })],
    outcome: failed,
    tries: 1,
    calls: 3,
    time: '2 s'
  },
  {
    name: '503 with `Retry-After: 3`',
    route: [status(503, longWait)],
    outcome: failed,
    tries: 3,
    calls: 3,
    time: '6 s'
  },
  {
    name: '503 with `Retry-After: 3`, all fail',
    route: [status(503, longWait), status(503, longWait)],
    outcome: failed,
    tries: 2,
    calls: 4,
    time: '3 s'
  },
  { name: '429', route: [status(429)], outcome: limited, tries: 1, calls: 3, time: '0.6 s' },
  {
    name: '429 with `retry-after-ms: 300`',
    route: [status(429, { 'retry-after-ms': '300' })],
    outcome: limited,
    tries: 1,
    calls: 3,
    time: '0.8 s'
  },
  {
    name: '429 with `Retry-After: 3`',
    route: [status(429, longWait)],
    outcome: limited,
    tries: 3,
    calls: 3,
    time: '6 s'
  },
  {
    name: '429 with `Retry-After: 3`, the next works',
    route: [status(429, longWait), fine],
    outcome: '200',
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  {
    name: '429 with `Retry-After: 3`, all fail',
    route: [status(429, longWait), status(429, longWait)],
    outcome: limited,
    tries: 2,
    calls: 4,
    time: '3 s'
  },
  {
    name: '429 with `Retry-After: 120`',
    route: [status(429, { 'retry-after': '120' })],
    outcome: limited,
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  { name: '429 `insufficient_quota`', route: [quota], outcome: exhausted, tries: 1, calls: 1, time: 'at once' },
  {
    name: '429 `insufficient_quota`, the next works',
    route: [quota, fine],
    outcome: '200',
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  {
    name: '429 `insufficient_quota`, all fail',
    route: [quota, quota],
    outcome: exhausted,
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  { name: '402', route: [status(402)], outcome: exhausted, tries: 1, calls: 1, time: 'at once' },
  { name: '401 or 403', route: [status(401)], outcome: rejected, tries: 1, calls: 1, time: 'at once' },
  {
    name: '401 or 403, the next works',
    route: [status(403), fine],
    outcome: '200',
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  {
    name: '401 or 403, all fail',
    route: [status(401), status(403)],
    outcome: rejected,
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  { name: '408 or 504', route: [status(504)], outcome: '504 upstream_timeout', tries: 1, calls: 3, time: '0.6 s' },
  { name: '301, 405 or 412', route: [status(405)], outcome: failed, tries: 1, calls: 1, time: 'at once' },
  {
    name: '400 or 422',
    route: [status(422), fine],
    outcome: '422 invalid_request',
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  {
    name: 'refuses connections',
    route: ['refused'],
    outcome: '502 upstream_unreachable',
    tries: 1,
    calls: 3,
    time: '0.6 s'
  },
  {
    name: 'refuses connections, the next works',
    route: ['refused', fine],
    outcome: '200',
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  { name: 'resets the connection', route: [reset], outcome: failed, tries: 1, calls: 3, time: '0.6 s' },
  {
    name: 'begins no answer within `first_byte`',
    route: [silent],
    outcome: '504 upstream_timeout',
    tries: 1,
    calls: 1,
    time: '`first_byte`'
  },
  {
    name: 'is avoided after failures, then works',
    route: ['breaker open'],
    outcome: '200',
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  {
    name: '200 with an empty stream',
    route: [emptyStream],
    stream: true,
    outcome: failed,
    tries: 1,
    calls: 3,
    time: '0.6 s'
  },
  {
    name: '200 with an empty stream, the next works',
    route: [emptyStream, fineStream],
    stream: true,
    outcome: '200',
    tries: 1,
    calls: 2,
    time: 'at once'
  },
  { name: '200 with a page of HTML', route: [page], outcome: failed, tries: 1, calls: 3, time: '0.6 s' },
  { name: '200 with an error', route: [okError], outcome: failed, tries: 1, calls: 3, time: '0.6 s' },
  { name: '200 with JSON that ends too early', route: [cutJson], outcome: failed, tries: 1, calls: 3, time: '0.6 s' },
  {
    name: '200 with JSON instead of a stream',
    route: [fine],
    stream: true,
    outcome: failed,
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  {
    name: '200 with a stream instead of JSON',
    route: [fineStream],
    outcome: failed,
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  {
    name: 'breaks off a stream',
    route: [cutStream],
    stream: true,
    outcome: 'upstream_error in the stream',
    tries: 1,
    calls: 1,
    time: 'at once'
  },
  {
    name: 'breaks off a single body',
    route: [cutBody],
    outcome: '502 upstream_error',
    tries: 1,
    calls: 1,
    time: 'at once'
  }
]
