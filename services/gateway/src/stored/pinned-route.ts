import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FoundInput } from './find-input.ts'

/**
 * Limits a route to the upstream that has what a request refers to.
 *
 * @throws ServiceError invalid_request if the route does not have the upstream
 */
export function pinnedRoute(
  route: readonly Target[],
  { upstream, isRequired }: Pick<FoundInput, 'upstream' | 'isRequired'>
): readonly Target[] {
  if (upstream === null) return route
  const pinned = route.filter((target) => target.upstream === upstream)
  if (pinned.length > 0) return pinned
  if (!isRequired) return route
  throw new ServiceError('invalid_request', {
    message:
      'The provider of this model does not have the stored items. Use the model that made them, or send their content.'
  })
}
