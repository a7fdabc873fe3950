import { type ErrorCode, pausedAccountMessage } from '../errors/table.ts'
import type { AccountRecord, KeyRecord } from '../records/records.ts'
import { includesAddress } from './ip-addresses.ts'

/** The records that decide whether a key may be used. Null: Redis has no such record. */
export interface KeyStanding {
  readonly key: Pick<KeyRecord, 'status' | 'digest' | 'previous' | 'expiresAt' | 'addresses'> | null
  readonly account: Pick<AccountRecord, 'status' | 'isOwnerInTeam'> | null
}

/** Who presents a secret, such as a request of Fastify: its address is read only for keys that have a list. */
export interface Presenter {
  /** Of the client, as `TRUST_PROXY` decides. */
  readonly ip: string | undefined
}

export type KeyVerdict =
  | {
      allowed: true
      /**
       * When the presented secret stops working, ms since the epoch; null for never. The caller compares it with its
       * clock.
       */
      endsAt: number | null
      /** The code of the refusal from `endsAt` on. */
      endedCode: ErrorCode
    }
  | KeyRefusal

export interface KeyRefusal {
  allowed: false
  code: ErrorCode
  /** Replaces the code's own message. */
  message?: string
}

const refused = (code: ErrorCode): KeyRefusal => ({ allowed: false, code })
const pausedByTeam: KeyRefusal = { allowed: false, code: 'account_suspended', message: pausedAccountMessage }

/**
 * Decides from the key, the grace of a rotated secret, the client's address and the account whether a secret may be used. Gateways use it for
 * inference keys, control for management keys.
 *
 * @param digest of the presented secret
 * @param presenter null to judge the secret for any address
 */
export function judgeKey({ key, account }: KeyStanding, digest: string, presenter: Presenter | null): KeyVerdict {
  if (key === null) return refused('invalid_api_key')
  if (key.status === 'revoked') return refused('revoked_api_key')
  let endsAt = key.expiresAt
  let endedCode: ErrorCode = 'expired_api_key'
  if (key.digest !== digest) {
    if (key.previous?.digest !== digest) return refused('revoked_api_key')
    if (endsAt === null || key.previous.until < endsAt) {
      endsAt = key.previous.until
      endedCode = 'revoked_api_key'
    }
  }
  if (key.addresses !== undefined && presenter !== null && !includesAddress(key.addresses, presenter.ip))
    return refused('ip_address_not_allowed')
  if (key.status === 'paused') return refused('paused_api_key')
  // Control writes an account before its keys, so a missing account means that Redis is not complete yet.
  if (account === null) return refused('state_unavailable')
  return judgeSuspension(account) ?? { allowed: true, endsAt, endedCode }
}

/** Decides from the account alone. @returns null if the account is not suspended */
export function judgeSuspension({ status, isOwnerInTeam }: NonNullable<KeyStanding['account']>): KeyRefusal | null {
  if (status !== 'suspended') return null
  return isOwnerInTeam ? pausedByTeam : refused('account_suspended')
}
