import type { Input } from '../../api/call.ts'

/** What the keys page shows, as in its address. */
export interface KeysSearch {
  /** A text to search for. */
  readonly q?: string
  /** A tag that keys have, such as `tenant=acme`. */
  readonly tag?: string
  /** `1`: also keys revoked in the last 30 days. */
  readonly revoked?: string
  readonly sort?: string
}

export type KeyOrder = NonNullable<NonNullable<Input<'listKeys'>['query']>['sort']>
const keyOrders: readonly KeyOrder[] = ['newest', 'label', 'last_used', 'spend']

/** The order that an address names; the newest first if it names none. */
export const readOrder = ({ sort }: KeysSearch): KeyOrder => keyOrders.find((order) => order === sort) ?? 'newest'

/** Reads a tag such as `tenant=acme` as a pair; null for any other text. */
export function readTag(text: string): readonly [string, string] | null {
  const [, name, value] = /^\s*([A-Za-z0-9_.-]{1,40})\s*=\s*(.+?)\s*$/.exec(text) ?? []
  return name === undefined || value === undefined ? null : [name, value]
}

export const isFiltered = ({ q = '', tag = '' }: KeysSearch): boolean => q.trim() !== '' || readTag(tag) !== null

interface Facts {
  /** Whether a filter hides keys. */
  readonly isFiltered: boolean
  /** Whether a search runs. */
  readonly isSearching: boolean
  /** Whether the account has revoked keys; undefined while unknown. */
  readonly hasRevoked: boolean | undefined
}

/** Why the list of keys is empty. */
export function noKeysReason({ isFiltered, isSearching, hasRevoked }: Facts) {
  if (isSearching) return 'searching'
  if (isFiltered) return 'filtered'
  if (hasRevoked === undefined) return 'searching'
  return hasRevoked ? 'revoked' : 'new'
}
