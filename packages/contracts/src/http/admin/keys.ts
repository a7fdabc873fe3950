import { type Static, Type } from 'typebox'
import { AccountId, closed, Reason } from './common.ts'

/** Names a key by its id, its secret, or the SHA-256 (hex) of its secret. */
export const RevokeReportedKeyRequest = Type.Union([
  Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }), reason: Reason }, closed),
  Type.Object({ value: Type.String({ minLength: 1, maxLength: 500 }), reason: Reason }, closed),
  Type.Object({ hash: Type.String({ pattern: '^[0-9a-f]{64}$' }), reason: Reason }, closed)
])
export type RevokeReportedKeyRequest = Static<typeof RevokeReportedKeyRequest>

export const RevokedKeyResponse = Type.Object({
  key: Type.Object({ id: Type.String(), label: Type.String(), prefix: Type.String(), account_id: AccountId }),
  /** Whether the owner gets a mail. False if the key was revoked before, or control has no mail server. */
  mailed: Type.Boolean()
})
export type RevokedKeyResponse = Static<typeof RevokedKeyResponse>
