import { createHmac } from 'node:crypto'
import { inTransaction } from '../open-sqlite.ts'
import type { PaymentsContext } from './context.ts'
import type { Delivery } from './database.ts'
import type { StoredEndpoint } from './object-store.ts'
import type { WireEvent } from './wire.ts'

const maxPauseMs = 60_000

export type DelivererContext = Pick<PaymentsContext, 'database' | 'deliveries' | 'objects' | 'settings'>

/** Sends events to their endpoints. Retries failed deliveries with growing pauses. */
export class Deliverer {
  readonly #context: DelivererContext
  readonly #inProgress = new Set<number>()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(context: DelivererContext) {
    this.#context = context
  }

  /** Sends due deliveries now, and plans the later ones. Call it after every change. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    const nowMs = Date.now()
    const waiting = this.#waiting()
    const due = waiting.filter(({ next_ms }) => next_ms <= nowMs)
    for (const delivery of due) {
      this.#inProgress.add(delivery.sequence)
      void this.#send(delivery)
    }
    const later = waiting.filter(({ next_ms }) => next_ms > nowMs).map(({ next_ms }) => next_ms)
    clearTimeout(this.#timer)
    if (later.length > 0) this.#timer = setTimeout(() => this.wake(), Math.min(...later) - nowMs)
    this.#resolveIfIdle()
  }

  /** Resolves when every event is delivered or has failed for good. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#resolveIfIdle()
    })
  }

  /** Stops sending. The next server with the same data sends the open deliveries. */
  close(): void {
    clearTimeout(this.#timer)
    this.#stop.abort()
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #waiting(): Delivery[] {
    return this.#context.deliveries.inState('pending').filter(({ sequence }) => !this.#inProgress.has(sequence))
  }

  #resolveIfIdle(): void {
    if (this.#inProgress.size > 0 || this.#idle.length === 0 || this.#waiting().length > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #send(delivery: Delivery): Promise<void> {
    const status = await this.#post(delivery)
    if (this.#stop.signal.aborted) return
    this.#record(delivery, status)
    this.#inProgress.delete(delivery.sequence)
    this.wake()
  }

  async #post({ event_id, endpoint_id }: Delivery): Promise<number | null> {
    const event = this.#context.objects.get('event', event_id)
    const endpoint = this.#context.objects.get('endpoint', endpoint_id)
    if (event === null || endpoint === null || endpoint.endpoint.status !== 'enabled') return null
    return sendDelivery(event, endpoint, this.#context.settings.webhookTimeoutMs, this.#stop.signal)
  }

  #record(delivery: Delivery, status: number | null): void {
    const { settings, database, deliveries, objects } = this.#context
    const tries = delivery.tries + 1
    const isDelivered = status !== null && status >= 200 && status < 300
    const hasFailed =
      !isDelivered && (tries >= settings.webhookTries || objects.get('endpoint', delivery.endpoint_id) === null)
    inTransaction(database, () => {
      deliveries.update({
        ...delivery,
        state: isDelivered ? 'delivered' : hasFailed ? 'failed' : 'pending',
        tries,
        next_ms: Date.now() + Math.min(settings.webhookRetryMs * 2 ** (tries - 1), maxPauseMs),
        last_status: status
      })
      const event = objects.get('event', delivery.event_id)
      if (event !== null && isDelivered) {
        objects.put('event', { ...event, pending_webhooks: Math.max(0, event.pending_webhooks - 1) })
      }
    })
  }
}

/**
 * Signs an event and sends it to an endpoint. The body is indented JSON, as Stripe's is: a receiver that parses and
 * serializes it again gets other bytes, so its signature check fails.
 *
 * @param timeoutMs the time that the endpoint has to answer
 * @param stop aborts the request
 * @returns the status; null: no answer
 */
async function sendDelivery(
  event: WireEvent,
  { endpoint, secrets }: StoredEndpoint,
  timeoutMs: number,
  stop: AbortSignal
): Promise<number | null> {
  const payload = JSON.stringify(event, null, 2)
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signPayload(payload, secrets, Math.floor(Date.now() / 1000)),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)'
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stop])
    })
    // The body does not matter, but the connection is reusable only after it was read.
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

/**
 * Computes the header `Stripe-Signature` of exactly these bytes: one signature per secret. The whole `whsec_…` text is
 * the key.
 *
 * @param timeS Unix seconds of the machine's clock, because receivers compare it with theirs
 */
export function signPayload(payload: string, secrets: readonly string[], timeS: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timeS}.${payload}`).digest('hex')}`
  )
  return [`t=${timeS}`, ...signatures].join(',')
}
