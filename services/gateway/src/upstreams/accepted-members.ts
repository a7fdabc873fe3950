import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { MemberSpan } from '../body/members.ts'
import { openaiMembers } from './openai-members.ts'
import type { Upstreams } from './upstreams.ts'

/** The accepted names of top-level members; null if all are accepted. */
export type AcceptedMembers = ReadonlySet<string> | null

const documented = {
  chat: new Set(openaiMembers.chat),
  completion: new Set(openaiMembers.completion),
  embedding: new Set(openaiMembers.embedding)
}

/**
 * Finds the members that a model accepts. Every known upstream of the route must accept a member, because a request may fail over.
 * The result for a model is cached as long as its catalog exists.
 */
export function membersAcceptedBy(upstreams: Upstreams): (model: Model) => AcceptedMembers {
  const known = new WeakMap<Model, AcceptedMembers>()
  return (model) => {
    let accepted = known.get(model)
    if (accepted === undefined) {
      accepted = acceptedOnRoute(model, upstreams)
      known.set(model, accepted)
    }
    return accepted
  }
}

function acceptedOnRoute({ kind, route }: Model, upstreams: Upstreams): AcceptedMembers {
  const lists = route
    .map(({ upstream }) => upstreams.get(upstream)?.furtherMembers ?? null)
    .filter((further) => further !== null)
  const [first, ...others] = lists
  if (first === undefined) return null
  const further = [...first].filter((name) => others.every((list) => list.has(name)))
  return further.length === 0 ? documented[kind] : new Set([...documented[kind], ...further])
}

/** Longer names are cut in error messages. */
const maxShownLength = 100

/** @throws ServiceError invalid_request naming the first member that the model does not accept */
export function refuseUnknown(spans: ReadonlyMap<string, MemberSpan>, accepted: AcceptedMembers): void {
  if (accepted === null) return
  for (const { name } of spans.values()) {
    if (!accepted.has(name)) {
      const shown = name.slice(0, maxShownLength)
      const message = `${shown}: this model does not accept this member. Remove it, or ask the operator to allow it.`
      throw new ServiceError('invalid_request', { message })
    }
  }
}
