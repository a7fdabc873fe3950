import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import { nothingCounted, type Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { type AdmitAnswer, type AskedRequest, admit, type PreparedAdmission } from '../admission/admit.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { settle } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { prepareAccount } from '../wire/packed.ts'

/** A receipt of a served request. */
export const aReceipt = (changed: Partial<Receipt> = {}): Receipt => ({
  kind: 'settled',
  id: 'req_5c5be0a5-8a6f-4a1b-9a52-0e3a0a5c8f10',
  account: '0b7ee6a2-6c8a-4c2b-8e57-1f6b1cf2b0aa',
  key: 'key_91d8d7b0-0d6e-4b9b-8d1f-7b1b7a3c9e55',
  at: 1_795_464_000,
  count: 1,
  refused: null,
  endpoint: '/v1/chat/completions',
  model: 'quick',
  askedModel: null,
  answeredModel: 'quick-2026-10-01',
  isStream: false,
  upstream: 'openai',
  attempts: 1,
  failedAttempts: [],
  status: 200,
  code: null,
  isEstimated: false,
  clientGone: false,
  ...nothingCounted,
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

/** The record of an active key without limits of its own. */
export const activeKey: KeyRecord = {
  status: 'active',
  digest: 'c'.repeat(64),
  previous: null,
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}

/** Asks whether one request may start. */
export async function admitOne(
  link: RedisNode,
  admission: PreparedAdmission,
  request: AskedRequest,
  reaped = false
): Promise<AdmitAnswer> {
  const [answer] = await admit(link, [{ admission, requests: [request], reaped }])
  return Array.isArray(answer) ? answer[0]! : answer!
}

/**
 * Settles requests of one account. `tried`: see `SettledGroup`; `receiptBytes`: see `settle`.
 *
 * @throws the first error
 */
export async function settleOf(
  link: RedisNode,
  account: string,
  requests: readonly SettledRequest[],
  tried = '',
  receiptBytes = 0
): Promise<void> {
  const unsettled = await settle(link, [{ account: prepareAccount(account), requests, tried }], receiptBytes)
  for (const { error } of unsettled) throw error
}
