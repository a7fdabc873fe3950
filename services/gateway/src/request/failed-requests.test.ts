import assert from 'node:assert/strict'
import type { Span, Tracing } from '@tollgate/service/tracing/tracing.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { sumOf } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

/** The step of a request that fails: spans mark the steps. */
let failing: string | null = null
const failIf = (step: string) => {
  if (step === failing) throw new Error(`${step} fails`)
}
const spanOf = (name: string): Span => ({
  isSampled: true,
  headers: { traceparent: '', tracestate: '' },
  rename() {},
  set() {},
  child(childName, kind) {
    failIf(`begin of ${kind === 'client' ? 'attempt' : childName}`)
    return spanOf(childName)
  },
  end: () => failIf(`end of ${name}`)
})
const tracing: Tracing = { serve: (name) => spanOf(name), dropped: 0, close: async () => {} }

let [upstream, gateway] = [] as unknown as [FakeUpstream, TestGateway]
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"choices":[{"index":0}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}')
  })
  gateway = await startGateway(upstream.url, { tracing, idempotencyMemoryMb: 256 })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

t.test('a request whose step fails in the gateway holds nothing afterwards, and its repeat runs', async () => {
  for (const [step, outcome] of [
    ['begin of admission', 500],
    ['end of admission', 500],
    ['begin of attempt', null]
  ] as const) {
    const { secret, account } = await gateway.seedKey()
    const ask = () =>
      post(gateway, secret, '/chat/completions', chatOf('small'), {
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': step }
      }).then(
        ({ status }) => status,
        () => null
      )
    failing = step
    assert.equal(await ask(), outcome, step)
    failing = null
    await gateway.settled()
    const inFlight = sumOf(await gateway.metrics(), 'tollgate_requests_in_flight')
    assert.deepEqual([inFlight, gateway.bodyMemory.heldBytes, gateway.upstreamRequests], [0, 0, 0], step)
    assert.equal((await readState(gateway.control.client, account)).holds.size, 0, step)
    assert.equal(await ask(), 200, `${step}: the repeat does not wait`)
  }
})
