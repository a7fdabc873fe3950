import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import type { IssuedId } from '../relay/forwarded-body.ts'
import { type FindIds, findSoon } from './find-soon.ts'
import type { NamedItem } from './named-items.ts'

/** The ids in the input of a response. */
export interface NamedInput {
  /** `previous_response_id` */
  readonly previous: string | null
  readonly items: readonly NamedItem[]
}

/** What the ids in an input stand for. */
export interface FoundInput {
  /** The upstream that has what the ids refer to; null if any upstream can serve the request. */
  readonly upstream: string | null
  /** Whether no other upstream can serve the request. */
  readonly isRequired: boolean
  /** The maximum tokens that the references add to the prompt. */
  readonly tokens: number
  /** The models that counted the tokens of what only the provider has. */
  readonly models: readonly string[]
  /** The ids of items. Only the upstream that gave an id gets it. */
  readonly ids: readonly IssuedId[]
}

/** For a request without ids. */
export const nothingFound: FoundInput = { upstream: null, isRequired: false, tokens: 0, models: [], ids: [] }

/**
 * Finds what the ids in an input stand for. Ids of other keys count as unknown: all accounts share the gateway's credential at the
 * provider, so the provider would accept them.
 *
 * @param find finds the ids of the key
 * @throws ServiceError previous_response_not_found, item_not_found, invalid_request or state_unavailable
 */
export async function findInput({ previous, items }: NamedInput, find: FindIds): Promise<FoundInput> {
  const ids = [...new Set([...(previous === null ? [] : [previous]), ...items.map(({ id }) => id)])]
  let found: Map<string, StoredId | null>
  try {
    const needed = items.filter(({ form }) => form === 'reference').map(({ id }) => id)
    const answers = await findSoon(find, ids, new Set(previous === null ? needed : [previous, ...needed]))
    found = new Map(ids.map((id, index) => [id, answers[index] ?? null]))
  } catch (cause) {
    throw new ServiceError('state_unavailable', { cause })
  }
  const chain = previous === null ? null : (found.get(previous) ?? null)
  if (previous !== null && chain === null) throw noPrevious(previous)
  const references = items
    .filter(({ form }) => form === 'reference')
    .map(({ id }) => found.get(id) ?? raise(noItem(id)))
  const needed = chain === null ? references : [chain, ...references]
  const places = new Set(needed.map(({ upstream }) => upstream))
  if (places.size > 1) throw severalPlaces()
  // Only the account that sealed reasoning can read it.
  const sealed = items.findLast(({ id, form }) => form === 'sealed' && found.get(id) != null)
  const [required = null] = places
  const reasoning = items.filter(({ form }) => form === 'open').flatMap(({ id }) => found.get(id) ?? [])
  return {
    upstream: required ?? (sealed === undefined ? null : found.get(sealed.id)!.upstream),
    isRequired: required !== null,
    tokens: (chain?.tokens ?? 0) + tokensOf([...references, ...reasoning]),
    models: [...new Set(needed.map(({ model }) => model))],
    ids: items.map(({ id, span, form }) => ({
      span,
      upstream: found.get(id)?.upstream ?? null,
      isNeeded: form === 'reference'
    }))
  }
}

/** Items of one answer have no more tokens than the answer. An item that is named several times may count each time. */
function tokensOf(references: readonly StoredId[]): number {
  const timesById = new Map<string, number>()
  const bySource = new Map<string, number>()
  for (const { id, source, tokens } of references) {
    const times = (timesById.get(id) ?? 0) + 1
    timesById.set(id, times)
    bySource.set(source, Math.max(bySource.get(source) ?? 0, times * tokens))
  }
  return [...bySource.values()].reduce((sum, tokens) => sum + tokens, 0)
}

function raise(error: Error): never {
  throw error
}

/** Longer ids are cut in messages. */
const shown = (id: string): string => (id.length > 100 ? `${id.slice(0, 100)}…` : id)

const noPrevious = (id: string) =>
  new ServiceError('previous_response_not_found', {
    message: `Previous response with id '${shown(id)}' not found.`,
    details: { param: 'previous_response_id' }
  })
/** No account has a conversation, because the gateway offers none: one has no end, so its prompt has no bound. */
export const noConversation = (id: string): ServiceError =>
  new ServiceError('conversation_not_found', {
    message: `Conversation with id '${shown(id)}' not found.`,
    details: { param: 'conversation' }
  })
const noItem = (id: string) =>
  new ServiceError('item_not_found', { message: `Item with id '${shown(id)}' not found.`, details: { param: 'input' } })
const severalPlaces = () =>
  new ServiceError('invalid_request', {
    message: 'input: the stored items are at different providers. Send them with their content.'
  })
