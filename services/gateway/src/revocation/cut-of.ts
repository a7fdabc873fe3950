import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { judgeKey, judgeSuspension, type KeyRefusal } from '@tollgate/contracts/keys/judge-key.ts'
import { refusalError } from '../admission/admit-request.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

/**
 * Decides whether the open requests of a key end now: its account is suspended, or its secret was revoked or replaced by somebody
 * who asked for this.
 *
 * @returns the failure for their clients; null if they go on
 */
export function cutOf({ key, account, digest }: Pick<KnownKey, 'key' | 'account' | 'digest'>): ServiceError | null {
  const refusal = (account && judgeSuspension(account.record)) ?? cutOfKey(key, digest)
  return refusal === null ? null : refusalError(refusal)
}

function cutOfKey(key: KnownKey['key'], digest: string): KeyRefusal | null {
  if (key?.record.cutStreams !== true) return null
  const verdict = judgeKey({ key: key.record, account: null }, digest)
  return !verdict.allowed && verdict.code === 'revoked_api_key' ? verdict : null
}
