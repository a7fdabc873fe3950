import assert from 'node:assert/strict'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import fc from 'fast-check'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import {
  type FakeUpstream,
  plainAnswer,
  plainEmbedding,
  plainStream,
  type Received,
  startFakeUpstream
} from '../testing/fake-upstream.ts'
import { messageAnswer, messageStream } from '../testing/message-answers.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

/** Calls at the same time: each may refresh what the others are judged by. */
const atOnce: ReadonlyArray<Step['kind']> = ['plain', 'repeatable', 'stream', 'plain', 'plain', 'plain']
const lifeMs = 120

type End = (gateway: TestGateway, key: SeededKey) => Promise<void>

const changes: Record<string, [End, number]> = {
  'the key is revoked': [(gateway, key) => gateway.changeKey(key, { status: 'revoked' }), 401],
  'the key is paused': [(gateway, key) => gateway.changeKey(key, { status: 'paused' }), 403],
  'the key does not allow the address': [
    (gateway, key) => gateway.changeKey(key, { addresses: ['203.0.113.0/24'] }),
    403
  ],
  'the account is suspended': [(gateway, key) => gateway.changeAccount(key, { status: 'suspended' }), 403]
}

const ends: Record<string, [End, number]> = {
  ...changes,
  'the account is deleted': [
    async (gateway, key) => {
      await gateway.changeKey(key, { status: 'revoked' })
      await gateway.changeAccount(key, { status: 'suspended' })
    },
    401
  ],
  'Redis has forgotten the deleted account': [
    async ({ control }, { account }) => void (await control.client.del(accountName(account))),
    401
  ],
  // By the clock of Redis.
  'the key expires': [
    async ({ control }, { record }) => {
      for (let now = 0; now <= record.expiresAt!; ) {
        const [seconds, micros] = await control.client.time()
        now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
      }
    },
    401
  ]
}

let [upstream, first, second] = [] as unknown as [FakeUpstream, TestGateway, TestGateway]
/** All routes that need a key. */
let routes: Array<{ method: string; path: string }>
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(serve)
  const options = {
    idempotencyMemoryMb: 8,
    protection: { failuresPerMinute: 1e6 },
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', speaks: [chat, completions, embeddings, responses, messages, moderations] } }`
  }
  first = await startGateway(upstream.url, options)
  second = await startGateway(upstream.url, { ...options, beside: first })
  routes = await routesOf(first)
})
t.teardown(async () => {
  await second.close()
  await first.close()
  await upstream.close()
})

async function routesOf(gateway: TestGateway): Promise<typeof routes> {
  const found: typeof routes = []
  for (const route of gateway.routes) {
    const [method = '', path = ''] = route.replace(/:\w+|\*/g, ':id').split(' ')
    const withoutKey = await fetch(gateway.url + path, { method })
    await withoutKey.text()
    if (withoutKey.status === 401) found.push({ method, path })
  }
  assert.ok(found.length > 8, JSON.stringify(found))
  return found
}

/** Answers calls of all routes. It deletes nothing, so that a stored response stays. */
function serve({ request, response, body }: Received): void {
  const [url, isStream] = [request.url!, body.includes('"stream":true')]
  if (request.method === 'DELETE') response.statusCode = 400
  response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
  if (url.endsWith('tokens')) response.end('{"input_tokens":3}')
  else if (url.endsWith('/messages')) response.end(isStream ? messageStream : messageAnswer)
  else if (url.endsWith('/embeddings')) response.end(plainEmbedding)
  else if (url.endsWith('/moderations')) response.end('{"results":[{}]}')
  else if (url.includes('/responses')) {
    const object = url.endsWith('/compact') ? 'response.compaction' : 'response'
    const made = { id: `resp_${upstream.received.length}`, object, status: 'completed', output: [] }
    const last = JSON.stringify({ type: 'response.completed', response: made })
    response.end(isStream ? `event: response.completed\ndata: ${last}\n\n` : JSON.stringify(made))
  } else response.end(isStream ? plainStream : plainAnswer)
}

function bodyOf(path: string): object {
  if (path.includes('/embeddings')) return { model: 'embedder', input: 'Hello' }
  if (path.includes('/moderations')) return { model: 'judge', input: 'Hello' }
  if (path.endsWith('/cancel')) return {}
  if (path.includes('/responses')) return { model: 'small', input: 'Hello' }
  if (path.endsWith('/v1/completions')) return { model: 'writer', prompt: 'Hello' }
  return chatOf('small', path.endsWith('/count_tokens') ? {} : { max_tokens: 9 })
}

const isStreamed = (path: string): boolean => /\/(completions|messages|responses)$/.test(path)

/** A call of one of all routes, at one of the two gateways. */
interface Step {
  readonly at: 0 | 1
  readonly route: number
  readonly kind: 'plain' | 'stream' | 'repeatable'
  /** Whether the next call waits for its answer. */
  readonly isAwaited: boolean
}

const stepsOf = (constraints: fc.ArrayConstraints) =>
  fc.array(
    fc.record<Step>({
      at: fc.constantFrom(0, 1),
      route: fc.nat(),
      kind: fc.constantFrom('plain', 'stream', 'repeatable'),
      isAwaited: fc.boolean()
    }),
    constraints
  )

interface Caller {
  readonly key: SeededKey
  /** The id of a stored response. */
  readonly stored: string
}

/** A key that both gateways remember. @param expiresAt ms since the epoch */
async function beginCaller(expiresAt: number | null = null): Promise<Caller> {
  const key = await first.seedKey({ key: { expiresAt } })
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify(bodyOf('/v1/responses'))
  const [made, listed] = await Promise.all([
    fetch(`${first.url}/v1/responses`, { method: 'POST', headers, body }),
    fetch(`${second.url}/v1/models`, { headers })
  ])
  await listed.text()
  const { id = 'resp_none' } = (await made.json()) as { id?: string }
  return { key, stored: id }
}

async function call({ key, stored }: Caller, { at, route, kind }: Omit<Step, 'isAwaited'>) {
  const { method, path: pattern } = routes[route % routes.length]!
  const path = pattern.replace(':id', pattern.includes('/responses/') ? stored : 'small')
  const answer = await fetch([first, second][at]!.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key.secret}`,
      'content-type': 'application/json',
      ...(path.includes('/messages') && { 'anthropic-version': '2023-06-01' }),
      ...(kind === 'repeatable' && { 'idempotency-key': path })
    },
    ...(method === 'POST' && {
      body: JSON.stringify({ ...bodyOf(path), ...(kind === 'stream' && isStreamed(path) && { stream: true }) })
    })
  })
  const text = await answer.text()
  return { name: `${kind} ${method} ${path}`, status: answer.status, id: answer.headers.get('x-request-id'), text }
}
type Answer = Awaited<ReturnType<typeof call>>

/** Checks that calls were refused, and that no provider got them. */
function assertRefused(what: string, answers: readonly Answer[], refusal: number): void {
  const called = new Set(upstream.received.map(({ request }) => request.headers['x-request-id']))
  for (const { name, status, id, text } of answers) {
    assert.equal(status, refusal, `${what}: ${name}: ${text}`)
    assert.ok(id !== null && !called.has(id), `${what}: ${name}`)
  }
}

t.test('no call of any route is accepted after a change of the key, however many come at once', async () => {
  for (const [what, [change, refusal]] of Object.entries(changes)) {
    for (const route of routes.keys()) {
      const caller = await beginCaller()
      const { name, status, text } = await call(caller, { at: 0, route, kind: 'repeatable' })
      assert.ok(status === 200 || name.includes('DELETE'), `${name}: ${status} ${text}`)
      await change(first, caller.key)
      const answers = await Promise.all(atOnce.map((kind) => call(caller, { at: 0, route, kind })))
      assertRefused(what, answers, refusal)
    }
  }
})

t.test('no gateway accepts a call after the end of its key, in any order of calls of all routes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(ends)),
      stepsOf({ maxLength: 6 }),
      stepsOf({ minLength: 1, maxLength: 6 }),
      async (what, earlier, later) => {
        const [end, refusal] = ends[what]!
        const caller = await beginCaller(what === 'the key expires' ? Date.now() + lifeMs : null)
        const underWay: Array<Promise<unknown>> = []
        for (const step of earlier) {
          const calling = call(caller, step)
          underWay.push(calling)
          if (step.isAwaited) await calling
        }
        await end(first, caller.key)
        const answers = await Promise.all(later.map((step) => call(caller, step)))
        await Promise.all(underWay)
        assertRefused(what, answers, refusal)
        upstream.received.length = 0
      }
    ),
    { numRuns: 30 }
  )
})
