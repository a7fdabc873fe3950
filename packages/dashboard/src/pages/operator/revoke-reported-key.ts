import { type AdminAnswer, adminCall } from '../../api/admin.ts'
import { ApiError, isCode } from '../../api/api-error.ts'
import type { ReportedKey } from './read-reported-key.ts'

/**
 * Revokes a key. A revocation that is saved, but does not reach every gateway yet, fails as `change_pending`, so that the form
 * offers to check again.
 *
 * @throws ApiError
 */
export async function revokeReportedKey(key: ReportedKey, reason: string): Promise<AdminAnswer<'revokeKey'>> {
  try {
    return await adminCall('revokeKey', { body: { ...key, reason } })
  } catch (error) {
    if (!isCode(error, 'revocation_pending')) throw error
    throw new ApiError(error.status, 'change_pending', error.message, error.retryAfterSeconds)
  }
}
