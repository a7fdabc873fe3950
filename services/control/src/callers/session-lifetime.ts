const dayMs = 86_400_000
/** A session ends after this time without use. */
export const idleLifetimeMs = 7 * dayMs
/** A session ends after this time in any case. */
export const absoluteLifetimeMs = 30 * dayMs
/** The minimum time between two stored uses. */
const minStepMs = 60_000

export interface SessionSpan {
  /** At most {@link minStepMs} before the last use. */
  readonly lastUsedAt: Date
  /** When the session ends without further use. Never after `endsAt`. */
  readonly idleEndsAt: Date
  readonly endsAt: Date
}

export function newSpan(now: Date): SessionSpan {
  return { lastUsedAt: now, idleEndsAt: after(now, idleLifetimeMs), endsAt: after(now, absoluteLifetimeMs) }
}

export function isOver(span: Pick<SessionSpan, 'idleEndsAt'>, now: Date): boolean {
  return span.idleEndsAt <= now
}

/** The span after a use at `now`. Null if the difference is too small to store. */
export function extendSpan({ lastUsedAt, idleEndsAt, endsAt }: SessionSpan, now: Date): SessionSpan | null {
  const end = Math.min(now.getTime() + idleLifetimeMs, endsAt.getTime())
  const gainedMs = end - idleEndsAt.getTime()
  const isLastStep = end === endsAt.getTime() && gainedMs > 0
  // In its last week, a session's end no longer moves.
  const isLaterUse = gainedMs === 0 && now.getTime() - lastUsedAt.getTime() >= minStepMs
  if (gainedMs < minStepMs && !isLastStep && !isLaterUse) return null
  return { lastUsedAt: now, idleEndsAt: new Date(end), endsAt }
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)
