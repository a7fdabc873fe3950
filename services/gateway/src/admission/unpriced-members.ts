import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { elided } from '../body/request-members.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'

type Allowed = (value: unknown) => boolean

const isAbsent: Allowed = (value) => value == null
const isDefault: Allowed = (value) => value == null || value === 'auto' || value === 'default'
const isText: Allowed = (value) => value == null || (Array.isArray(value) && value.every((one) => one === 'text'))
/** The usual life of a cached prompt at OpenAI. A long value has not been read, and could have another. */
const hasUsualLife: Allowed = (value) =>
  value == null ||
  (typeof value === 'object' && value !== elided && [undefined, '30m'].includes(Reflect.get(value, 'ttl')))

/** Members that change what a request costs in a way that the catalog has no price for, and the values that do not. */
const priced = new Map<string, Allowed>([
  ['service_tier', isDefault],
  ['web_search_options', isAbsent],
  ['search_parameters', isAbsent],
  ['plugins', isAbsent],
  ['prediction', isAbsent],
  ['modalities', isText],
  ['audio', isAbsent],
  // How long a provider keeps a prompt in its cache.
  ['prompt_cache_retention', isAbsent],
  ['prompt_cache_options', hasUsualLife],
  ['speed', isAbsent],
  ['inference_geo', isAbsent],
  // Other providers' limits of the output, and how often they produce it: they win over the limit that the gateway sets.
  ['n_predict', isAbsent],
  ['use_beam_search', isAbsent],
  ['min_tokens', isAbsent]
])

/** @throws ServiceError unpriced_parameter naming the first member of a body that has no price, in whichever spelling */
export function refuseUnpriced({ members, spans }: Pick<BoundedBody, 'members' | 'spans'>): void {
  for (const [spelling, { name }] of spans) {
    const isAllowed = priced.get(spelling)
    if (isAllowed !== undefined && (name !== spelling || !isAllowed(members[name]))) {
      throw new ServiceError('unpriced_parameter', { message: `${name}: has no price here. Remove it.` })
    }
  }
}
