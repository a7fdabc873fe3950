import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { AdminKey } from './accounts.ts'
import { AccountId, closed, Reason } from './adjustments.ts'

const id = Type.String({ minLength: 1, maxLength: 100 })
const value = Type.String({ minLength: 1, maxLength: 500 })
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** Names a key by its id, its secret, or the SHA-256 (hex) of its secret. */
export const FindReportedKeyRequest = Type.Union([
  Type.Object({ id }, closed),
  Type.Object({ value }, closed),
  Type.Object({ hash }, closed)
])
export type FindReportedKeyRequest = Static<typeof FindReportedKeyRequest>

/** Whose key it is, so that the operator can check this before they revoke it. */
export const FoundKeyResponse = Type.Object({
  key: Type.Object({
    ...AdminKey.properties,
    account_id: AccountId,
    owner_email: described('Address and name of the account’s owner; empty after the owner is deleted.', Type.String()),
    owner_name: Type.String()
  })
})
export type FoundKeyResponse = Static<typeof FoundKeyResponse>

/** Names the key like {@link FindReportedKeyRequest}. */
export const RevokeReportedKeyRequest = Type.Union([
  Type.Object({ id, reason: Reason }, closed),
  Type.Object({ value, reason: Reason }, closed),
  Type.Object({ hash, reason: Reason }, closed)
])
export type RevokeReportedKeyRequest = Static<typeof RevokeReportedKeyRequest>

export const RevokedKeyResponse = Type.Object({
  key: Type.Object({ id: Type.String(), label: Type.String(), prefix: Type.String(), account_id: AccountId }),
  mailed: described(
    'Whether the owner gets a mail. False if the key was revoked before, or control has no mail server.',
    Type.Boolean()
  )
})
export type RevokedKeyResponse = Static<typeof RevokedKeyResponse>
