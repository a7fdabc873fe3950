import { nothingCounted, type Receipt } from '@tollgate/contracts/requests/receipt.ts'

/** A settled request. */
export const receiptOf = (id: string, values: Partial<Receipt> = {}): Receipt => ({
  ...nothingCounted,
  kind: 'settled',
  id,
  account: '5a2f0000-0000-4000-8000-000000000000',
  key: 'key_1',
  at: 1_795_435_200.25,
  count: 1,
  refused: null,
  endpoint: '/v1/chat/completions',
  model: 'gpt-4o-mini',
  askedModel: null,
  answeredModel: null,
  isStream: false,
  upstream: 'openai',
  attempts: 1,
  failedAttempts: [],
  status: 200,
  code: null,
  isEstimated: false,
  clientGone: false,
  heldNanos: 0,
  heldTokens: 0,
  grantedTokens: null,
  tier: null,
  rates: null,
  firstByteMs: null,
  durationMs: null,
  address: null,
  ...values
})

/** As many receipts, with ids `req_<name>_0`, … */
export const receiptsOf = (name: string, count: number): Receipt[] =>
  Array.from({ length: count }, (_, index) => receiptOf(`req_${name}_${index}`))
