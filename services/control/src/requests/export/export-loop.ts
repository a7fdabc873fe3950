import { randomUUID } from 'node:crypto'
import {
  type BackgroundLoop,
  createBackgroundLoop,
  createRareAction
} from '@tollgate/service/background/background-loop.ts'
import type { LogSender } from '@tollgate/service/log-export/log-sender.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/connect.ts'
import { requestExporter } from '../../database/schema/requests.ts'
import { LeasedRows } from '../../leased-rows/leased-rows.ts'
import { isWaiting, readWaiting, removeExported, type WaitingReceipts } from './export-queue.ts'
import { unpackReceipts } from './pack-receipts.ts'
import { receiptRecord } from './receipt-record.ts'
import { sendDivided } from './send-divided.ts'

/** Longer than one batch with its retries takes. When a replica dies, another one takes over after this time. */
const leaseMs = 60_000

/** How often a replica looks for receipts. */
const intervalMs = 1000
/** The longest pause after failures. */
const maxPauseMs = 60_000
/** No request to the collector begins after this part of the lease. It may take 15 s more. */
const sendingMs = leaseMs / 2
/** How long a batch may take when control stops, so that another replica does not send it again. */
const lastBatchMs = 2000
const reportIntervalMs = 60_000

/** What became of receipts. `rejected`: the collector never takes them. `expired`: they waited for too long. */
export const exportOutcomes = ['exported', 'rejected', 'expired'] as const
export type ExportOutcome = (typeof exportOutcomes)[number]

export interface ExportLoopOptions {
  readonly database: Pick<Database, 'orm'>
  readonly sender: Pick<LogSender, 'send'>
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  readonly onOutcome: (outcome: ExportOutcome, receipts: number) => void
  /** For tests. `onPause` is called after each round. */
  readonly times?: {
    readonly intervalMs: number
    readonly maxPauseMs: number
    readonly lastBatchMs: number
    onPause(): void
  }
}

/**
 * Sends waiting receipts to a collector, the oldest first, one batch at a time. They stay in PostgreSQL until the
 * collector has them: an outage of the collector, or of control, delays them. A receipt may arrive twice, with the same
 * id, if an answer was lost.
 *
 * Any number of replicas may run this; one of them sends.
 */
export function createExportLoop(options: ExportLoopOptions): BackgroundLoop {
  const { database, sender, log, onOutcome } = options
  const times = options.times ?? { intervalMs, maxPauseMs, lastBatchMs, onPause: () => undefined }
  const { orm } = database
  const exporter = new LeasedRows(orm, { table: requestExporter, key: 'one', lease: 'leaseEndsAt', leaseMs })
  const replica = randomUUID()
  let lease: typeof requestExporter.$inferSelect | null = null
  const reportRejected = createRareAction(reportIntervalMs, (batches, reason: string | null) =>
    log.warn({ batches, reason }, 'the collector rejected receipts of requests: they are not sent again')
  )
  let failures = 0

  /**
   * Takes or renews the right to send receipts, so that replicas do not send the same ones. Two may still do so after a
   * long pause of one of them: receipts have ids.
   */
  async function mayExport(): Promise<boolean> {
    if (lease !== null) lease = await exporter.extend(lease)
    lease ??= await exporter.claimOnly({ replica }, { set: { replica } })
    return lease !== null
  }

  async function sendFirst(signal: AbortSignal): Promise<'again' | 'done'> {
    if (!(await isWaiting(orm)) || !(await mayExport())) return 'done'
    const sendUntil = performance.now() + sendingMs
    const waiting = await readWaiting(orm)
    // Another replica has just removed them.
    if (waiting.length === 0) return 'done'
    const receipts = (await Promise.all(waiting.map(unpack))).flat()
    const { sent, rejected, reason } = await sendDivided(receipts.map(receiptRecord), (records) => {
      if (performance.now() > sendUntil) throw new Error('the collector is too slow')
      return sender.send(records, delayed(signal, times.lastBatchMs))
    })
    await removeExported(
      orm,
      waiting.map(({ id }) => id)
    )
    onOutcome('exported', sent)
    if (rejected > 0) {
      onOutcome('rejected', rejected)
      reportRejected(reason)
    }
    return 'again'
  }

  const loop = createBackgroundLoop({
    async round(signal) {
      try {
        const outcome = await sendFirst(signal)
        failures = 0
        return outcome
      } catch (error) {
        failures++
        throw error
      }
    },
    intervalMs() {
      times.onPause()
      return Math.min(times.intervalMs * 2 ** Math.min(failures, 20), times.maxPauseMs)
    },
    log,
    messages: {
      failing: 'receipts of requests cannot be exported: they wait in PostgreSQL',
      recovered: 'receipts of requests are exported again'
    }
  })
  return {
    ...loop,
    async stop() {
      await loop.stop()
      // Without it, another replica sends when the lease has ended.
      if (lease !== null)
        await exporter.end(lease).catch((err) => log.warn({ err }, 'the export of receipts was not handed over'))
    }
  }
}

/** @throws Error naming the row: an operator has to look at it */
async function unpack({ id, packed }: WaitingReceipts) {
  return unpackReceipts(packed).catch((cause) => {
    throw new Error(`row ${id} of request_exports cannot be read`, { cause })
  })
}

/** A signal that aborts some time after another one. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => late.abort(), ms).unref(), { once: true })
  return late.signal
}
