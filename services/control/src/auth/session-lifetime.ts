const dayMs = 86_400_000
/** A session that is not used for so long is over. */
export const idleLifetimeMs = 7 * dayMs
/** No session lasts longer, however much it is used. */
export const absoluteLifetimeMs = 30 * dayMs
/** Use is written down at most this often. */
const slideStepMs = 60_000

export type SessionSpan = {
  /** When the session is over unless it is used before. Never after `endsAt`. */
  readonly idleEndsAt: Date
  readonly endsAt: Date
}

export function newSpan(now: Date): SessionSpan {
  return { idleEndsAt: after(now, idleLifetimeMs), endsAt: after(now, absoluteLifetimeMs) }
}

export function isOver(span: SessionSpan, now: Date): boolean {
  return span.idleEndsAt <= now
}

/** The later end that a use at `now` gives the session, or null if it is not later by enough to be worth a write. */
export function slideEnd({ idleEndsAt, endsAt }: SessionSpan, now: Date): Date | null {
  const end = Math.min(now.getTime() + idleLifetimeMs, endsAt.getTime())
  const gainedMs = end - idleEndsAt.getTime()
  const isLastStep = end === endsAt.getTime() && gainedMs > 0
  return gainedMs >= slideStepMs || isLastStep ? new Date(end) : null
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)
