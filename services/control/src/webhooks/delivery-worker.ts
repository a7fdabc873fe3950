import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { Clock, SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { type SealKeys, unseal } from '../secrets/seal.ts'
import {
  type CallUnderWay,
  type ClaimedDelivery,
  claimDeliveries,
  leasedDeliveries,
  leaseMs
} from './claim-deliveries.ts'
import { type CallOutcome, type CallResult, messageOf, type SendMessage, signMessage } from './send-message.ts'
import { storeAttempt } from './store-attempt.ts'
import { resealSecrets } from './store-endpoint.ts'

/** Deliveries that a replica sends at once. */
const maxUnderWay = 128

export interface WorkerOptions {
  readonly database: Database
  readonly secretKeys: SealKeys
  readonly send: SendMessage
  /** For leases and the next try. Default: PostgreSQL's. */
  readonly sharedTime?: SharedTime
  /** Signs messages, since receivers refuse old ones. */
  readonly rightClock: Clock
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  readonly onAttempt: (outcome: CallOutcome) => void
  /** Milliseconds between searches for due deliveries. */
  readonly intervalMs?: number
}

/** Sends webhooks. Any number of replicas may run this. */
export interface DeliveryWorker extends WatchedLoop {
  readonly progress: LoopProgress
  start(): void
  /** Ends the calls that are under way; another replica repeats them at once. */
  stop(): Promise<void>
  /** Sends all that is due, and waits for it. */
  sendDue(): Promise<void>
}

/**
 * Sends each delivery at least once: it is leased before the call and marked after it. If the replica dies between,
 * another one sends it again, with the same id.
 *
 * Each endpoint and each account has at most some calls under way, and none of an endpoint's further deliveries is
 * leased meanwhile. So slow receivers take few of the places, and no others wait for them: see {@link claimDeliveries}.
 */
export function createDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { database, sharedTime, log, onAttempt, intervalMs = watchedIntervalMs } = options
  const { orm } = database
  const deliveries = leasedDeliveries(orm, sharedTime)
  /** Work under way, by endpoint. */
  const busy = new Map<string, Promise<void>>()
  const underWay = new Set<CallUnderWay>()
  let isResealed = false
  const loop = createBackgroundLoop({
    async round() {
      // After the start, which may have brought a new key.
      if (!isResealed) await reseal(options)
      isResealed = true
      await startDue()
    },
    intervalMs,
    log,
    messages: { failing: 'webhooks cannot be sent', recovered: 'webhooks are sent again' }
  })

  /** @returns how many deliveries it has started */
  async function startDue(): Promise<number> {
    if (loop.signal.aborted || underWay.size >= maxUnderWay) return 0
    const claimed = await claimDeliveries(orm, deliveries, { underWay: [...underWay], max: maxUnderWay })
    for (const [endpointId, some] of Map.groupBy(claimed, ({ endpoint }) => endpoint.id)) {
      const work = Promise.all(some.map(deliver)).then(() => {
        busy.delete(endpointId)
        loop.wake()
      })
      busy.set(endpointId, work)
    }
    return claimed.length
  }

  /** Never rejects: a delivery whose result cannot be stored is repeated when its lease ends. */
  async function deliver(claimed: ClaimedDelivery): Promise<void> {
    underWay.add(claimed.endpoint)
    // By PostgreSQL's clock, as the lease.
    const startedAt = new Date(claimed.delivery.dueAt!.getTime() - leaseMs)
    try {
      const calledAt = performance.now()
      const result = await callReceiver(claimed, startedAt, options, loop.signal)
      const tookMs = Math.round(performance.now() - calledAt)
      onAttempt(result.outcome)
      await storeAttempt(orm, claimed, { result, startedAt, tookMs })
    } catch (err) {
      if (loop.signal.aborted) await deliveries.end(claimed.delivery).catch((cause) => report(cause, claimed))
      else report(err, claimed)
    } finally {
      underWay.delete(claimed.endpoint)
    }
  }

  function report(err: unknown, { delivery }: ClaimedDelivery): void {
    log.warn({ err, deliveryId: delivery.id }, 'the result of a webhook could not be stored; it is sent again')
  }

  const ended = () => Promise.all(busy.values())

  return {
    progress: loop.progress,
    start: loop.start,
    wake: loop.wake,
    isDue: () => deliveries.hasDue(),
    async stop() {
      await loop.stop()
      await ended()
    },
    async sendDue() {
      for (;;) {
        const started = await startDue()
        await ended()
        if (started === 0) return
      }
    }
  }
}

/** Encrypts the signing secrets with the first key. */
async function reseal({ database, secretKeys, log }: WorkerOptions): Promise<void> {
  const { resealed, unreadable } = await resealSecrets(database.orm, secretKeys)
  if (resealed > 0) log.info({ resealed }, 'secrets of webhooks are encrypted with the first key of SECRETS_KEY now')
  if (unreadable > 0) log.error({ unreadable }, 'secrets of webhooks cannot be decrypted: SECRETS_KEY lacks their key')
}

/** Signs an event with the endpoint's secrets in force `at` a time, and sends it. */
async function callReceiver(
  { endpoint, event }: ClaimedDelivery,
  at: Date,
  { secretKeys, send, rightClock, log }: WorkerOptions,
  signal: AbortSignal
): Promise<CallResult> {
  const { id, url, secret, previousSecret, previousSecretUntil } = endpoint
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > at
  const sealed = [secret, ...(previousSecret !== null && isOverlapping ? [previousSecret] : [])]
  const secrets = sealed.map((one) => unseal(secretKeys, id, one)).filter((one) => one !== null)
  if (secrets.length < sealed.length) {
    log.error({ endpointId: id }, 'the secret of a webhook endpoint cannot be decrypted: SECRETS_KEY lacks its key')
    const error = 'The signing secret cannot be read. Rotate it, or ask the operator to restore SECRETS_KEY.'
    return { outcome: 'unreadable_secret', status: null, error }
  }
  const body = JSON.stringify(messageOf(event))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Webhooks',
    ...signMessage(secrets, { id: event.id, at: rightClock(), body })
  }
  return await send(new URL(url), headers, body, signal)
}
