import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'

const { requests, errors, estimatedRequests, estimatedNanos, ...noCounts } = zeroCounts

/** A receipt of a served request. */
export const aReceipt = (changed: Partial<Receipt> = {}): Receipt => ({
  kind: 'settled',
  id: 'req_5c5be0a5-8a6f-4a1b-9a52-0e3a0a5c8f10',
  account: '0b7ee6a2-6c8a-4c2b-8e57-1f6b1cf2b0aa',
  key: 'key_91d8d7b0-0d6e-4b9b-8d1f-7b1b7a3c9e55',
  at: 1_795_464_000,
  count: 1,
  endpoint: '/v1/chat/completions',
  model: 'quick',
  answeredModel: 'quick-2026-10-01',
  isStream: false,
  upstream: 'openai',
  attempts: 1,
  status: 200,
  code: null,
  isEstimated: false,
  clientGone: false,
  ...noCounts,
  costNanos: 52_500,
  promptTokens: 300,
  cachedTokens: 20,
  completionTokens: 100,
  heldNanos: 400_000,
  heldTokens: 1400,
  grantedTokens: 1000,
  tier: null,
  rates: '{"inputPicos":75000,"cachedInputPicos":37500,"outputPicos":300000}',
  firstByteMs: 350,
  durationMs: 1250,
  address: null,
  ...changed
})
