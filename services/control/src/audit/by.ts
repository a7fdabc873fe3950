/** Who makes a change, from where and when, as the audit log stores it. */
export interface By {
  /** A user; null for the service itself. */
  readonly actorId: string | null
  /** Empty for the service itself. */
  readonly ip: string
  readonly at: Date
}

export const byService = (at = new Date()): By => ({ actorId: null, ip: '', at })
