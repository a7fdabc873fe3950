/** Who made a change, from where and when, as the audit log stores it. */
export interface By {
  /** A user; null for the service. */
  readonly actorId: string | null
  /** The client's address; empty for the service. */
  readonly ip: string
  readonly at: Date
  /** Why an operator did it, in the operator's words. The account's audit log shows it. */
  readonly note?: string
}

export const byService = (at = new Date()): By => ({ actorId: null, ip: '', at })
