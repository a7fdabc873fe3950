import { type AdmitAnswer, type AskedRequest, admit, type PreparedAdmission } from '../redis/admit.ts'
import type { RedisLink } from '../redis/redis-link.ts'
import { prepareSettlement, type SettledRequest, settle } from '../redis/settle.ts'

/** Asks whether one request may start. */
export async function admitOne(
  link: RedisLink,
  admission: PreparedAdmission,
  request: AskedRequest,
  reaped = false
): Promise<AdmitAnswer> {
  const [answer] = await admit(link, [{ admission, requests: [request], reaped }])
  return Array.isArray(answer) ? answer[0]! : answer!
}

/** Settles requests of one account. */
export async function settleOf(
  link: RedisLink,
  account: string,
  requests: readonly SettledRequest[],
  isRetry: (request: SettledRequest) => boolean = () => false
): Promise<void> {
  await Promise.all(settle(link, [{ settlement: prepareSettlement(account), requests }], isRetry))
}
