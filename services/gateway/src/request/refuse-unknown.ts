import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { MemberSpan } from '../body/members.ts'
import { likelyMeant } from '../body/other-apis.ts'
import type { Offer } from '../upstreams/offers.ts'
import type { Api } from './api.ts'

/** Longer names are cut in error messages. */
const maxShownLength = 100

/**
 * @throws ServiceError invalid_request naming the first member that the model does not accept, and what to send instead
 */
export function refuseUnknown(
  spans: ReadonlyMap<string, MemberSpan>,
  api: Pick<Api, 'members' | 'hasNoOtherMembers' | 'membersInstead' | 'showsUsageCost'>,
  { furtherMembers }: Pick<Offer, 'furtherMembers'>
): void {
  const further = api.hasNoOtherMembers ? none : furtherMembers
  if (further === null) return
  for (const { name } of spans.values()) {
    if (!api.members.has(name) && !further.has(name) && !isOwn(name, api)) {
      const shortName = name.slice(0, maxShownLength)
      throw new ServiceError('invalid_request', { message: `${shortName}: ${adviceFor(name, api, further)}` })
    }
  }
}

/** Whether only the gateway reads a member, so that it does not matter whether the model accepts it. */
const isOwn = (name: string, api: Pick<Api, 'showsUsageCost' | 'hasNoOtherMembers'>): boolean =>
  name === 'usage' && api.showsUsageCost === true && !api.hasNoOtherMembers

const none: ReadonlySet<string> = new Set()

function adviceFor(
  name: string,
  { members, membersInstead }: Pick<Api, 'members' | 'membersInstead'>,
  further: ReadonlySet<string>
): string {
  const instead = Object.hasOwn(membersInstead, name) ? membersInstead[name]! : null
  const accepted = new Set([...members, ...further])
  // An endpoint may have fewer members than its API, such as `/v1/responses/compact`.
  if (instead !== null && (instead.includes(' ') || accepted.has(instead.split('.')[0]!)))
    return `this endpoint has ${instead} instead.`
  const meant = likelyMeant(name, accepted)
  const advice = meant === null ? 'Remove it, or ask the operator to allow it.' : `Did you mean ${meant}?`
  return `this model does not accept this member. ${advice}`
}

/** Ways to limit the output, by the names of several APIs. */
const outputLimits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample']

/** @returns other APIs' names of the output limit, with an API's own: a part of {@link Api.membersInstead} */
export const limitedBy = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(outputLimits.map((other) => [other, name]))
