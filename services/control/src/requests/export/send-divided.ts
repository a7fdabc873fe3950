import type { LogOutcome, LogRecord } from '@tollgate/service/log-export/log-sender.ts'

/** Requests for one batch. Enough to find three bad records of 500. */
const maxRequests = 64

/** What became of a batch. */
export interface Divided {
  readonly sent: number
  /** Records that the collector did not take and would never take. */
  readonly rejected: number
  /** The collector's reason, if it said one. */
  readonly reason: string | null
}

/**
 * Sends a batch. If the collector refuses it, sends its halves, to find the records that are refused. These are given
 * up only if the collector takes others: one that refuses everything is set up wrongly.
 *
 * @param send throws if the collector cannot take anything now
 * @throws Error if nothing was taken, or too little; then send all records again later. The collector may have some
 */
export async function sendDivided(
  records: readonly LogRecord[],
  send: (records: readonly LogRecord[]) => Promise<LogOutcome>
): Promise<Divided> {
  let requests = 0
  let rejected = 0
  let refusal: number | null = null
  let reason: string | null = null

  async function sendPart(part: readonly LogRecord[]): Promise<void> {
    if (++requests > maxRequests) throw new Error(`the collector refuses many records with status ${refusal}`)
    const outcome = await send(part)
    if (outcome.kind === 'taken') {
      rejected += outcome.rejected
      reason ??= outcome.message
      return
    }
    refusal = outcome.status
    if (part.length === 1) {
      rejected++
      reason ??= `status ${refusal}`
      return
    }
    const middle = Math.ceil(part.length / 2)
    await sendPart(part.slice(0, middle))
    await sendPart(part.slice(middle))
  }

  await sendPart(records)
  const sent = records.length - rejected
  if (sent === 0 && refusal !== null) throw new Error(`the collector refuses all records with status ${refusal}`)
  return { sent, rejected, reason }
}
