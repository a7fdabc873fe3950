import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { standardBetas } from '../../upstreams/anthropic-betas.ts'
import type { Offer } from '../../upstreams/offers.ts'

const isVersion = /^\d{4}-\d{2}-\d{2}$/
const isBeta = /^[a-z0-9][a-z0-9_.-]{0,99}$/i

/**
 * The headers of Anthropic's API that the upstream gets unchanged: names and values, alternating.
 *
 * @throws ServiceError invalid_request
 */
export function messagesFields(headers: IncomingHttpHeaders): readonly string[] {
  const { 'anthropic-version': version, 'anthropic-beta': betas } = headers
  if (typeof version !== 'string' || !isVersion.test(version)) {
    throw new ServiceError('invalid_request', {
      message: 'anthropic-version: missing or not a version. Send this header with a version such as 2023-06-01.'
    })
  }
  if (typeof betas !== 'string') return ['anthropic-version', version]
  for (const beta of betasOf(betas)) {
    if (!isBeta.test(beta)) {
      throw new ServiceError('invalid_request', {
        message: 'anthropic-beta: not a list of names. Separate the names by commas.'
      })
    }
  }
  return ['anthropic-version', version, 'anthropic-beta', betas]
}

/**
 * Refuses betas that may change the price, or refer to state at the provider. Without a beta, the provider would refuse
 * the members that belong to it, so no beta is left out.
 *
 * @throws ServiceError invalid_request naming the beta
 */
export function refuseBetas(headers: IncomingHttpHeaders, { betas }: Offer): void {
  const named = headers['anthropic-beta']
  if (typeof named !== 'string') return
  for (const beta of betasOf(named)) {
    if (!standardBetas.has(beta) && !betas.has(beta)) {
      throw new ServiceError('invalid_request', {
        message: `anthropic-beta: this model does not accept ${beta}. Remove it, or ask the operator to allow it.`
      })
    }
  }
}

const betasOf = (value: string): string[] =>
  value
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '')
