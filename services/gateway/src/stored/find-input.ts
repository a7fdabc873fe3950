import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import { closeBracket } from '../body/json-bytes.ts'
import { decodeText } from '../body/json-text.ts'
import type { MemberSpan } from '../body/members.ts'
import { skipSpace } from '../body/scan.ts'
import { note } from '../body/shape.ts'
import type { IssuedId } from '../relay/forwarded-body.ts'
import { type FindIds, findSoon } from './stored-responses.ts'

/** More ids would take too long to look up. Conversations have fewer items. */
const maxNamed = 4096

/** An item of the input that has an id. */
interface NamedItem {
  readonly id: string
  /** The value of `id` in the body. */
  readonly span: MemberSpan
  /**
   * - `reference`: only the id says what the item is: `item_reference`, a bare id, or reasoning without content
   * - `sealed`: reasoning or a compacted conversation with encrypted content, which only its provider's account can
   *   read
   * - `open`: reasoning with other content, or a search. A provider that has it by its id may use that instead
   * - `whole`: the provider needs no id
   */
  readonly form: 'reference' | 'sealed' | 'open' | 'whole'
}

/**
 * Finds the items with ids in the input of a response.
 *
 * @param notes of the body's reader
 * @throws ServiceError invalid_request for too many of them
 */
export function namedItems(bytes: Buffer, notes: readonly number[]): readonly NamedItem[] {
  const named: NamedItem[] = []
  let item: ItemNotes | null = null
  const add = () => {
    if (item === null || item.idAt < 0) return
    if (named.length === maxNamed) throw tooMany()
    named.push(toNamed(bytes, notes, item))
  }
  for (let at = 0; at < notes.length; at += 3) {
    switch (notes[at]) {
      case note.item:
        add()
        item = { idAt: -1, typeAt: -1, hasContent: false, isSealed: false }
        break
      case note.itemId:
        item!.idAt = at
        break
      case note.itemType:
        item!.typeAt = at
        break
      case note.itemContent:
        // A text, or a list with a part.
        item!.hasContent =
          notes[at + 2]! > notes[at + 1]! || (notes[at + 3] === note.part && !isEmptyList(bytes, notes[at + 1]!))
        break
      case note.sealed:
        item!.isSealed = notes[at + 2]! > notes[at + 1]!
    }
  }
  add()
  return named
}

/** Parts of another member may follow an empty list. */
const isEmptyList = (bytes: Buffer, start: number): boolean => bytes[skipSpace(bytes, start + 1)] === closeBracket

/** Where the notes of an item are. */
interface ItemNotes {
  /** -1 without an id. */
  idAt: number
  /** -1 without a type. */
  typeAt: number
  hasContent: boolean
  isSealed: boolean
}

function toNamed(
  bytes: Buffer,
  notes: readonly number[],
  { idAt, typeAt, hasContent, isSealed }: ItemNotes
): NamedItem {
  const [start, end] = [notes[idAt + 1]!, notes[idAt + 2]!]
  const type = typeAt < 0 ? null : decodeText(bytes, notes[typeAt + 1]!, notes[typeAt + 2]!)
  return {
    id: decodeText(bytes, start, end),
    // With the quotes.
    span: { name: 'id', start: start - 1, end: end + 1 },
    form: formOf(type, hasContent, isSealed)
  }
}

function formOf(type: string | null, hasContent: boolean, isSealed: boolean): NamedItem['form'] {
  if (type === 'item_reference' || (type === null && !hasContent)) return 'reference'
  // A provider that has a search by its id may use what it found.
  if (type === 'web_search_call') return 'open'
  if (type === 'compaction') return isSealed ? 'sealed' : 'reference'
  if (type !== 'reasoning') return 'whole'
  return isSealed ? 'sealed' : hasContent ? 'open' : 'reference'
}

const tooMany = () =>
  new ServiceError('invalid_request', {
    message: `input: more than ${maxNamed.toLocaleString('en')} items have an id. Remove the ids of items that have their content.`
  })

/** The ids in the input of a response. */
export interface NamedInput {
  /** `previous_response_id` */
  readonly previous: string | null
  readonly items: readonly NamedItem[]
}

/** What the ids in an input stand for. */
export interface StoredInput {
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
export const noStoredInput: StoredInput = { upstream: null, isRequired: false, tokens: 0, models: [], ids: [] }

/**
 * Finds what the ids in an input stand for. Ids of other keys count as unknown: all accounts share the gateway's
 * credential at the provider, so the provider would accept them.
 *
 * @param find finds the ids of the key
 * @throws ServiceError previous_response_not_found, item_not_found, invalid_request or state_unavailable
 */
export async function findInput({ previous, items }: NamedInput, find: FindIds): Promise<StoredInput> {
  const ids = [...new Set([...(previous === null ? [] : [previous]), ...items.map(({ id }) => id)])]
  let stored: Map<string, StoredId | null>
  try {
    const needed = items.filter(({ form }) => form === 'reference').map(({ id }) => id)
    const answers = await findSoon(find, ids, new Set(previous === null ? needed : [previous, ...needed]))
    stored = new Map(ids.map((id, index) => [id, answers[index] ?? null]))
  } catch (cause) {
    throw new ServiceError('state_unavailable', { cause })
  }
  const chain = previous === null ? null : (stored.get(previous) ?? null)
  if (previous !== null && chain === null) throw noPrevious(previous)
  const references = items
    .filter(({ form }) => form === 'reference')
    .map(({ id }) => stored.get(id) ?? raise(noItem(id)))
  const needed = chain === null ? references : [chain, ...references]
  const places = new Set(needed.map(({ upstream }) => upstream))
  if (places.size > 1) throw severalPlaces()
  // Only the account that sealed reasoning can read it.
  const sealed = items.findLast(({ id, form }) => form === 'sealed' && stored.get(id) != null)
  const [required = null] = places
  const reasoning = items.filter(({ form }) => form === 'open').flatMap(({ id }) => stored.get(id) ?? [])
  return {
    upstream: required ?? (sealed === undefined ? null : stored.get(sealed.id)!.upstream),
    isRequired: required !== null,
    tokens: (chain?.tokens ?? 0) + tokensOf([...references, ...reasoning]),
    models: [...new Set(needed.map(({ model }) => model))],
    ids: items.map(({ id, span, form }) => ({
      span,
      upstream: stored.get(id)?.upstream ?? null,
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
const shortId = (id: string): string => (id.length > 100 ? `${id.slice(0, 100)}…` : id)

const noPrevious = (id: string) =>
  new ServiceError('previous_response_not_found', {
    message: `Previous response with id '${shortId(id)}' not found.`,
    details: { param: 'previous_response_id' }
  })
/** No account has a conversation, because the gateway offers none: one has no end, so its prompt has no bound. */
export const noConversation = (id: string): ServiceError =>
  new ServiceError('conversation_not_found', {
    message: `Conversation with id '${shortId(id)}' not found.`,
    details: { param: 'conversation' }
  })
const noItem = (id: string) =>
  new ServiceError('item_not_found', {
    message: `Item with id '${shortId(id)}' not found.`,
    details: { param: 'input' }
  })
const severalPlaces = () =>
  new ServiceError('invalid_request', {
    message: 'input: the stored items are at different providers. Send them with their content.'
  })
