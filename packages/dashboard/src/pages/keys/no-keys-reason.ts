interface Facts {
  /** Whether a filter hides keys. */
  readonly isFiltered: boolean
  /** Whether more keys are being loaded. */
  readonly isSearching: boolean
  /** Whether loading more keys failed. */
  readonly isPartly: boolean
  /** Whether the account has revoked keys; undefined while unknown. */
  readonly hasRevoked: boolean | undefined
}

/** Why the list of keys is empty. Keys count as missing only after all pages are loaded. */
export function noKeysReason({ isFiltered, isSearching, isPartly, hasRevoked }: Facts) {
  if (isSearching) return 'searching'
  if (isFiltered) return isPartly ? 'partly' : 'filtered'
  if (hasRevoked === undefined) return 'searching'
  return hasRevoked ? 'revoked' : 'new'
}
