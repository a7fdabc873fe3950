type Facts = {
  /** Whether a filter leaves keys out that would be listed otherwise. */
  readonly isFiltered: boolean
  /** Whether what is listed is not all yet, and the rest is being read. */
  readonly isLooking: boolean
  /** Whether what is listed is not all, and will not be without another try. */
  readonly isPartly: boolean
  /** Whether there are revoked keys, which can be shown; undefined as long as that is not known. */
  readonly hasRevoked: boolean | undefined
}

/** Why there is no key in the list: nothing is said to be missing that has only not been read. */
export function whyNoKeys({ isFiltered, isLooking, isPartly, hasRevoked }: Facts) {
  if (isLooking) return 'looking'
  if (isFiltered) return isPartly ? 'partly' : 'filtered'
  if (hasRevoked === undefined) return 'looking'
  return hasRevoked ? 'revoked' : 'new'
}
