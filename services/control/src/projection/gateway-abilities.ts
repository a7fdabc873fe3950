import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { liveUpstreams } from '@tollgate/state/processes/heartbeat.ts'

/**
 * Refuses terms that a running gateway would not enforce.
 *
 * @throws ServiceError `invalid_request`
 */
export async function assertGatewaysEnforce(
  redis: RedisLink,
  {
    addresses = null,
    budgets = []
  }: { addresses?: ChangeKeyRequest['addresses']; budgets?: readonly unknown[] | undefined }
): Promise<void> {
  if (addresses === null && budgets.length === 0) return
  const gateways = await liveUpstreams(redis)
  const old = (what: string) =>
    refused(
      `${what}: a gateway of an older release is running, which does not check them. Ask the operator to update all gateways`
    )
  if (addresses !== null && (gateways?.withoutAddresses ?? 0) > 0) throw old('addresses')
  if (budgets.length > 0 && (gateways?.withoutBudgets ?? 0) > 0) throw old('budgets')
}

const refused = (message: string) => new ServiceError('invalid_request', { message })
