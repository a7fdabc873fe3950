/** The first copy has the months that operators see, and one more. */
const firstCopyMonths = 13
/** The provider tries to collect an invoice for at most two months after it was created. */
const collectionMs = 70 * 86_400_000

/** The last copy of invoices. */
interface LastCopy {
  readonly startedAt: Date
  readonly finishedAt: Date | null
}

/**
 * The earliest creation of the invoices that the next copy reads. The provider cannot list by time of payment. So a copy
 * reads all invoices that may have been paid since the last copy. The first copy of a month reads more: it finds invoices
 * that somebody paid by hand, after the provider gave up.
 *
 * @param last null before the first copy
 */
export function invoicesCreatedFrom(last: LastCopy | null, now: Date): Date {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - firstCopyMonths + 1))
  const isComplete = last !== null && last.finishedAt !== null && last.finishedAt >= last.startedAt
  if (!isComplete || isOtherMonth(last.startedAt, now)) return first
  return new Date(Math.max(first.getTime(), last.startedAt.getTime() - collectionMs))
}

const isOtherMonth = (a: Date, b: Date): boolean => a.toISOString().slice(0, 7) !== b.toISOString().slice(0, 7)
