import { randomUUID } from 'node:crypto'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'

const { requests: _requests, errors: _errors, estimatedRequests: _estimated, estimatedNanos: _nanos, ...zero } = zeroCounts

/** The receipt of a plain request that was served. */
export function receiptOf(account: string, changed: Partial<Receipt> = {}): Receipt {
  return {
    ...zero,
    kind: 'settled',
    id: `req_${randomUUID()}`,
    account,
    key: 'key_a',
    at: Math.floor(Date.now() / 1000),
    count: 1,
    endpoint: '/v1/chat/completions',
    model: 'small',
    answeredModel: null,
    isStream: false,
    upstream: 'openai',
    attempts: 1,
    status: 200,
    code: null,
    isEstimated: false,
    clientGone: false,
    heldNanos: 5_000_000,
    heldTokens: 500,
    grantedTokens: 400,
    tier: null,
    rates: '{"inputPicos":250000,"outputPicos":2000000}',
    firstByteMs: 120,
    durationMs: 900,
    address: null,
    promptTokens: 10,
    completionTokens: 5,
    costNanos: 12_500,
    ...changed
  }
}
