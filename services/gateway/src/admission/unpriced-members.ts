import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { elided } from '../body/request-members.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'

type Allowed = (value: unknown) => boolean

const isAbsent: Allowed = (value) => value == null
const isDefault: Allowed = (value) =>
  value == null || value === 'auto' || value === 'default' || value === 'standard_only'
const isStandard: Allowed = (value) => value == null || value === 'standard'
const isText: Allowed = (value) => value == null || (Array.isArray(value) && value.every((one) => one === 'text'))
/** Whether a cached prompt lives for OpenAI's default time. A long value was not read, so its `ttl` is unknown. */
const hasDefaultTtl: Allowed = (value) =>
  value == null ||
  (typeof value === 'object' && value !== elided && [undefined, '30m'].includes(Reflect.get(value, 'ttl')))

/** Members that can change the cost but have no price in the catalog. Each has a test for values that do not change the cost. */
const unpriced = new Map<string, Allowed>([
  ['service_tier', isDefault],
  ['web_search_options', isAbsent],
  ['search_parameters', isAbsent],
  ['plugins', isAbsent],
  ['prediction', isAbsent],
  ['modalities', isText],
  ['audio', isAbsent],
  // The next two say how long a provider caches the prompt.
  ['prompt_cache_retention', isAbsent],
  ['prompt_cache_options', hasDefaultTtl],
  ['speed', isStandard],
  ['inference_geo', isAbsent],
  // Other providers' names for the output limit and the number of outputs. They override the gateway's limit.
  ['n_predict', isAbsent],
  ['use_beam_search', isAbsent],
  ['min_tokens', isAbsent]
])

/** @throws ServiceError unpriced_parameter with the first member of a body that has no price, in any spelling */
export function refuseUnpriced({ members, spans }: Pick<BoundedBody, 'members' | 'spans'>): void {
  for (const [spelling, { name }] of spans) {
    const isAllowed = unpriced.get(spelling)
    if (isAllowed !== undefined && (name !== spelling || !isAllowed(members[name]))) {
      throw new ServiceError('unpriced_parameter', {
        message: `${name}: the catalog has no price for this. Remove it.`
      })
    }
  }
}
