import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import { type CostBound, type PreparedAdmission, prepareAdmission } from '@tollgate/state/admission/admit.ts'
import { accountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putAll } from '@tollgate/state/projection/write-records.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { aReceipt } from '@tollgate/state/testing/a-receipt.ts'
import { activeKey } from '@tollgate/state/testing/active-key.ts'
import { verifyNow } from '@tollgate/state/testing/marker.ts'
import { admitOne, settleOf } from '@tollgate/state/testing/one-account.ts'
import { prepareAccount } from '@tollgate/state/wire/prepared-account.ts'

/** A key and the arguments of its admissions, encoded once as in the gateway. */
interface ScriptedKey {
  account: string
  key: string
  admission: PreparedAdmission
}

const model = 'bench-model'
const tokensPerMinute = 1e12
const holdMs = 600_000
/** About 1 KB of prompt, at most 1000 output tokens. */
const bound: CostBound = {
  promptPicos: 75_000 * 1000,
  promptTokens: 1000,
  outputPicos: 300_000,
  outputTokens: 1,
  wantedTokens: 1000,
  minTokens: 16
}

/** Writes accounts with keys to an empty Redis. Every limit applies, but no request reaches one. */
export async function createKeys(link: RedisNode, accounts: number, keysEach: number): Promise<ScriptedKey[]> {
  const keys: ScriptedKey[] = []
  // Accounts start with a spend of the current month.
  for (const shard of accountShards) await verifyNow(link, shard, 0, link.run())
  for (let number = 0; number < accounts; number++) {
    const account = crypto.randomUUID()
    await putAll(link, [
      { kind: 'account', account, version: 1, record: { plan: 'free', status: 'active', ownCapNanos: null } }
    ])
    for (let index = 0; index < keysEach; index++) {
      const key = `key_${crypto.randomUUID()}`
      await putAll(link, [{ kind: 'key', account, key, version: 2, record: activeKey }])
      const admission = prepareAdmission(
        prepareAccount(account),
        key,
        { key: '2', account: '1' },
        null,
        allowances,
        holdMs
      )
      keys.push({ account, key, admission })
    }
  }
  for (const shard of new Set(keys.map(({ account }) => accountShard(account)))) {
    if (!(await verifyNow(link, shard, 2, link.run()))) {
      throw new Error(`shard ${shard} could not be verified`)
    }
  }
  return keys
}

const allowances = {
  keyBudgetNanos: 1e15,
  accountBudgetNanos: 1e15,
  adjusted: null,
  keyRequests: 1e9,
  keyRequestBurst: 1e9,
  requests: 1e9,
  requestBurst: 1e9,
  tokens: tokensPerMinute,
  tokenBurst: tokensPerMinute,
  concurrentRequests: 1e6,
  requestNanos: 1e12
}

/**
 * Runs one request of a key: a command admits it, another settles it.
 *
 * @param receiptBytes memory for the receipts of a shard; 0 without receipts
 * @throws Error if it is not admitted
 */
export async function runRequest(
  link: RedisNode,
  { account, key, admission }: ScriptedKey,
  receiptBytes = 0
): Promise<void> {
  const id = crypto.randomUUID()
  const answer = await admitOne(link, admission, { id, model, bound })
  if (answer.outcome !== 'admitted') throw new Error(`not admitted: ${JSON.stringify(answer)}`)
  const settled = {
    id,
    key,
    model,
    upstream: 'openai',
    at: answer.at,
    heldNanos: answer.nanos,
    heldTokens: bound.promptTokens + answer.grantedTokens,
    tokensPerMinute,
    tokensRestMs: answer.tokensRestMs,
    ...zeroCounts,
    costNanos: 52_500,
    promptTokens: 300,
    cachedTokens: 0,
    completionTokens: 100,
    failed: false,
    estimated: false
  }
  const receipt = receiptBytes === 0 ? null : encodeReceipt(aReceipt({ id, account, key, at: answer.at }))
  await settleOf(link, account, [{ ...settled, receipt }], '', receiptBytes)
}
