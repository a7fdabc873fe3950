/** The first moment of a month such as `2026-11`, UTC. */
export const startOfMonth = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`)

/** The month of a moment, such as `2026-11`, UTC. */
export const nameOfMonth = (time: Date): string => time.toISOString().slice(0, 7)

/** The first moments of months up to the one of `now`, oldest first. */
export const lastMonths = (count: number, now: Date): Date[] =>
  Array.from(
    { length: count },
    (_, index) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index)))
  )
