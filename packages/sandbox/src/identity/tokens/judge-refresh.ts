/** What becomes of a refresh token that is presented. */
export type RefreshVerdict = 'rotate' | 'return_active' | 'end_session' | 'not_issued'

export interface RefreshFacts {
  /** Of the token that is valid now. */
  activeCounter: number
  presentedCounter: number
  sinceLastRefreshMs: number
  reuseIntervalMs: number
}

/**
 * Decides about a refresh token. The active one is used up and followed by another. Its parent may always come back,
 * since the client may not have received the answer; older ones only within the reuse interval, as concurrent clients
 * do. Both then get the active token. Anything else is theft: the session ends. (GoTrue, internal/tokens/service.go)
 */
export function judgeRefresh(facts: RefreshFacts): RefreshVerdict {
  const behind = facts.activeCounter - facts.presentedCounter
  if (behind < 0) return 'not_issued'
  if (behind === 0) return 'rotate'
  if (behind === 1 || facts.sinceLastRefreshMs < facts.reuseIntervalMs) return 'return_active'
  return 'end_session'
}
