const dayMs = 86_400_000
/** A session that is not used for so long is over. */
export const idleLifetimeMs = 7 * dayMs
/** No session lasts longer, however much it is used. */
export const absoluteLifetimeMs = 30 * dayMs
/** Use is written down at most this often. */
const slideStepMs = 60_000

export type SessionSpan = {
  /** At most {@link slideStepMs} behind the last use. */
  readonly lastUsedAt: Date
  /** When the session is over unless it is used before. Never after `endsAt`. */
  readonly idleEndsAt: Date
  readonly endsAt: Date
}

export function newSpan(now: Date): SessionSpan {
  return { lastUsedAt: now, idleEndsAt: after(now, idleLifetimeMs), endsAt: after(now, absoluteLifetimeMs) }
}

export function isOver(span: Pick<SessionSpan, 'idleEndsAt'>, now: Date): boolean {
  return span.idleEndsAt <= now
}

/** The span after a use at `now`. Null if it differs too little to be worth a write. */
export function slideSpan({ lastUsedAt, idleEndsAt, endsAt }: SessionSpan, now: Date): SessionSpan | null {
  const end = Math.min(now.getTime() + idleLifetimeMs, endsAt.getTime())
  const gainedMs = end - idleEndsAt.getTime()
  const isLastStep = end === endsAt.getTime() && gainedMs > 0
  // In its last week a session's end does not move any more.
  const isLaterUse = gainedMs === 0 && now.getTime() - lastUsedAt.getTime() >= slideStepMs
  if (gainedMs < slideStepMs && !isLastStep && !isLaterUse) return null
  return { lastUsedAt: now, idleEndsAt: new Date(end), endsAt }
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)
