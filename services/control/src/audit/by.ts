/** Who made a change, from where and when, as the audit log stores it. */
export interface By {
  /** A user; null for the service. */
  readonly actorId: string | null
  /** The client's address; empty for the service. */
  readonly ip: string
  readonly at: Date
}

export const byService = (at = new Date()): By => ({ actorId: null, ip: '', at })
