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
