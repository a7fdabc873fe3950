import { isDeepStrictEqual } from 'node:util'
import type { Model, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { StoredInput } from './find-input.ts'

type Counting = Pick<Model, 'tokenizer' | 'images' | 'audio'>

/**
 * Refuses stored items whose tokens another model counted in its own way. The gateway knows only these counts, and the
 * same image can have a hundred times as many tokens for another model.
 *
 * @param modelOf finds a chat model of the catalog
 * @throws ServiceError invalid_request
 */
export function refuseOtherCounts(
  { models }: Pick<StoredInput, 'models'>,
  name: string,
  modelOf: (name: string) => Counting | null
): void {
  for (const earlier of models) {
    if (earlier === name || countAlike(modelOf(earlier), modelOf(name))) continue
    throw new ServiceError('invalid_request', {
      message:
        'Another model made the stored items, and counts tokens differently. Use the model that made them, or send their content.'
    })
  }
}

/** Whether two models are known to count alike. */
const countAlike = (a: Counting | null, b: Counting | null): boolean =>
  a !== null &&
  b !== null &&
  a.tokenizer !== null &&
  a.tokenizer === b.tokenizer &&
  isDeepStrictEqual(a.images, b.images) &&
  isDeepStrictEqual(a.audio, b.audio)

/**
 * Limits a route to the upstream that has what a request refers to.
 *
 * @throws ServiceError invalid_request if the route does not have the upstream
 */
export function pinnedRoute(
  route: readonly Target[],
  { upstream, isRequired }: Pick<StoredInput, 'upstream' | 'isRequired'>
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
