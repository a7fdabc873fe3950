import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { closeBracket } from '../body/json-bytes.ts'
import { decodeText } from '../body/json-text.ts'
import type { MemberSpan } from '../body/members.ts'
import { skipSpace } from '../body/scan.ts'
import { note } from '../body/shape.ts'

/** More ids would take too long to look up. Conversations have fewer items. */
const maxNamed = 4096

/** An item of the input that has an id. */
export interface NamedItem {
  readonly id: string
  /** The value of `id` in the body. */
  readonly span: MemberSpan
  /**
   * - `reference`: only the id says what the item is: `item_reference`, a bare id, or reasoning without content
   * - `sealed`: reasoning or a compacted conversation with encrypted content, which only its provider's account can read
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
  let found: FoundItem | null = null
  const add = () => {
    if (found === null || found.idAt < 0) return
    if (named.length === maxNamed) throw tooMany()
    named.push(toNamed(bytes, notes, found))
  }
  for (let at = 0; at < notes.length; at += 3) {
    switch (notes[at]) {
      case note.item:
        add()
        found = { idAt: -1, typeAt: -1, hasContent: false, isSealed: false }
        break
      case note.itemId:
        found!.idAt = at
        break
      case note.itemType:
        found!.typeAt = at
        break
      case note.itemContent:
        // A text, or a list with a part.
        found!.hasContent =
          notes[at + 2]! > notes[at + 1]! || (notes[at + 3] === note.part && !isEmptyList(bytes, notes[at + 1]!))
        break
      case note.sealed:
        found!.isSealed = notes[at + 2]! > notes[at + 1]!
    }
  }
  add()
  return named
}

/** Parts of another member may follow an empty list. */
const isEmptyList = (bytes: Buffer, start: number): boolean => bytes[skipSpace(bytes, start + 1)] === closeBracket

/** Where the notes of an item are. */
interface FoundItem {
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
  { idAt, typeAt, hasContent, isSealed }: FoundItem
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
