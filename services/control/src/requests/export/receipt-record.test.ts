import assert from 'node:assert/strict'
import { test } from 'tap'
import { receiptRecord } from './receipt-record.ts'
import { receiptOf } from './testing/receipts.ts'

test('a receipt becomes a record with the names of traces', async () => {
  const record = receiptRecord(
    receiptOf('req_1', {
      ...{
        isStream: true,
        askedModel: 'our-default',
        answeredModel: 'gpt-4o-mini-2024',
        upstream: 'azure',
        attempts: 2,
        address: '203.0.113.9'
      },
      failedAttempts: [{ upstream: 'openai', code: 'upstream_error', status: 500, startedMs: 1, durationMs: 20 }],
      promptTokens: 100,
      cachedTokens: 40,
      completionTokens: 7,
      reasoningTokens: 3,
      rare: { cacheWriteTokens: 5, longCacheWriteTokens: 2, toolCalls: 1 },
      costNanos: 9_007_199_254_740_991,
      isEstimated: true,
      clientGone: true,
      heldNanos: 10,
      heldTokens: 20,
      grantedTokens: 30,
      tier: 'flex',
      rates: '{"inputPicos":1}',
      firstByteMs: 412.5,
      durationMs: 1630
    })
  )
  assert.deepEqual(record, {
    atMs: 1_795_435_200_250,
    eventName: 'tollgate.request',
    body: '/v1/chat/completions 200',
    severity: 'info',
    attributes: {
      'tollgate.request.id': 'req_1',
      'tollgate.receipt.kind': 'settled',
      'tollgate.receipt.count': 1,
      'tollgate.account.id': '5a2f0000-0000-4000-8000-000000000000',
      'tollgate.key.id': 'key_1',
      'client.address': '203.0.113.9',
      'http.route': '/v1/chat/completions',
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'tollgate.request.asked_model': 'our-default',
      'gen_ai.request.stream': true,
      'gen_ai.provider.name': 'azure',
      'gen_ai.response.model': 'gpt-4o-mini-2024',
      'tollgate.attempts': 2,
      'tollgate.failed_attempts':
        '[{"upstream":"openai","code":"upstream_error","status":500,"started_ms":1,"duration_ms":20}]',
      'http.response.status_code': 200,
      'tollgate.client.gone': true,
      'gen_ai.response.time_to_first_chunk': 0.4125,
      'tollgate.request.duration': 1.63,
      'tollgate.cost.nanodollars': 9_007_199_254_740_991,
      'tollgate.usage.estimated': true,
      'tollgate.hold.nanodollars': 10,
      'tollgate.hold.tokens': 20,
      'tollgate.granted_output_tokens': 30,
      'tollgate.service_tier': 'flex',
      'tollgate.rates': '{"inputPicos":1}',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 40,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.reasoning.output_tokens': 3,
      'gen_ai.usage.cache_creation.input_tokens': 7,
      'tollgate.usage.long_cache_write_tokens': 2,
      'tollgate.usage.tool_calls': 1
    }
  })
})

test('what a receipt does not know has no attribute', async () => {
  const { attributes } = receiptRecord(
    receiptOf('req_1', { kind: 'refused', model: null, upstream: null, attempts: 0 })
  )
  for (const name of ['client.address', 'gen_ai.request.model', 'gen_ai.provider.name', 'tollgate.request.duration']) {
    assert.equal(name in attributes, false, name)
  }
  assert.ok(Object.values(attributes).every((value) => value !== null && value !== undefined))
  assert.equal(attributes['tollgate.attempts'], 0)
})

test('a refusal says what it needed, what was left, and the limit', async () => {
  const refused = { unit: 'nanos', needed: 30, left: 20, limit: 100 } as const
  const { attributes } = receiptRecord(receiptOf('req_1', { kind: 'refused', status: 402, refused }))
  assert.partialDeepStrictEqual(attributes, {
    'tollgate.refused.unit': 'nanodollars',
    'tollgate.refused.needed': 30,
    'tollgate.refused.left': 20,
    'tollgate.refused.limit': 100
  })
})

test('answers with 5xx and requests without an answer are warnings', async () => {
  const severityOf = (status: number | null) => receiptRecord(receiptOf('req_1', { status })).severity
  assert.deepEqual([200, 402, 499, 500, 504, null].map(severityOf), ['info', 'info', 'info', 'warn', 'warn', 'warn'])
})
