/** The decision about a presented refresh token. */
export type RefreshDecision = 'rotate' | 'return_active' | 'end_session' | 'not_issued'

export interface RefreshFacts {
  /** The number of the active token. */
  activeCounter: number
  presentedCounter: number
  sinceLastRefreshMs: number
  reuseIntervalMs: number
}

/**
 * Decides about a refresh token as GoTrue does (internal/tokens/service.go). The active token is replaced with a new one.
 * The token before it always gets the active one, since the client may have missed the answer. Older tokens get it only
 * within the reuse interval, for concurrent clients. Any other use counts as theft and ends the session.
 */
export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const behind = facts.activeCounter - facts.presentedCounter
  if (behind < 0) return 'not_issued'
  if (behind === 0) return 'rotate'
  if (behind === 1 || facts.sinceLastRefreshMs < facts.reuseIntervalMs) return 'return_active'
  return 'end_session'
}
