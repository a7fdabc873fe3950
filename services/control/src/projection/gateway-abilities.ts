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
    budgets = [],
    tokens_per_minute: tokens = null,
    concurrent_requests: concurrent = null
  }: Pick<ChangeKeyRequest, 'addresses' | 'tokens_per_minute' | 'concurrent_requests'> & {
    budgets?: readonly unknown[] | undefined
  }
): Promise<void> {
  // Gateways of the same releases enforce all of these.
  const limits = {
    budgets: budgets.length > 0,
    tokens_per_minute: tokens !== null,
    concurrent_requests: concurrent !== null
  }
  const [limit] = Object.entries(limits).find(([, isSet]) => isSet) ?? []
  if (addresses === null && limit === undefined) return
  const gateways = await liveUpstreams(redis)
  const old = (what: string) =>
    refused(
      `${what}: a gateway of an older release is running, which does not enforce it. Ask the operator to update all gateways`
    )
  if (addresses !== null && (gateways?.withoutAddresses ?? 0) > 0) throw old('addresses')
  if (limit !== undefined && (gateways?.withoutBudgets ?? 0) > 0) throw old(limit)
}

const refused = (message: string) => new ServiceError('invalid_request', { message })
