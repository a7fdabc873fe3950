import { type AdmitAnswer, type AskedRequest, admit, type PreparedAdmission } from '../admission/admit.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { settle } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settled-request.ts'
import { prepareAccount } from '../wire/prepared-account.ts'

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

/** Settles requests of one account. `tried`: see `SettledGroup`; `receiptBytes`: see `settle`. @throws the first error */
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
