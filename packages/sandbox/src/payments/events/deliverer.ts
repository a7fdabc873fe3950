import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import type { Delivery } from '../store/deliveries.ts'
import { type DeliveryMode, names } from './delivery-mode.ts'
import { sendDelivery } from './send-delivery.ts'
import { shuffle } from './shuffle.ts'

const maxPauseMs = 60_000

export type DelivererContext = Pick<PaymentsContext, 'database' | 'deliveries' | 'objects' | 'settings'>

/** Sends events to their endpoints. Retries failed deliveries with growing pauses. */
export class Deliverer {
  readonly #context: DelivererContext
  readonly #mode: () => DeliveryMode
  readonly #random: () => number
  readonly #inProgress = new Set<number>()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  /** @param random chooses the order in shuffle mode */
  constructor(context: DelivererContext, mode: () => DeliveryMode, random: () => number) {
    this.#context = context
    this.#mode = mode
    this.#random = random
  }

  /** Sends due deliveries now, and plans the later ones. Call it after every change. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    const nowMs = Date.now()
    const waiting = this.#waiting()
    const due = waiting.filter(({ next_ms }) => next_ms <= nowMs)
    for (const { sequence } of due) this.#inProgress.add(sequence)
    const batches = this.#mode().shuffle ? [shuffle(due, this.#random)] : due.map((delivery) => [delivery])
    for (const batch of batches) void this.#sendInOrder(batch)
    const later = waiting.filter(({ next_ms }) => next_ms > nowMs).map(({ next_ms }) => next_ms)
    clearTimeout(this.#timer)
    if (later.length > 0) this.#timer = setTimeout(() => this.wake(), Math.min(...later) - nowMs)
    this.#resolveIfIdle()
  }

  /** Sends held deliveries one after another, in this order. */
  async release(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      this.#inProgress.add(delivery.sequence)
      this.#context.deliveries.update({ ...delivery, state: 'pending' })
    }
    await this.#sendInOrder(deliveries.map((delivery) => ({ ...delivery, state: 'pending' })))
  }

  /** Sends an event to all its endpoints again. @returns their statuses; null: no answer */
  async resend(eventId: string): Promise<(number | null)[]> {
    const deliveries = this.#context.deliveries.ofEvent(eventId)
    return Promise.all(deliveries.map((delivery) => this.#post(delivery)))
  }

  /** Resolves when every event that is neither held nor dropped is delivered or has failed for good. */
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

  async #sendInOrder(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    for (const delivery of deliveries) {
      const status = await this.#post(delivery)
      if (status !== null && isReceived(status) && names(this.#mode().duplicate, delivery.event_type)) {
        await this.#post(delivery)
      }
      if (this.#stop.signal.aborted) return
      this.#record(delivery, status)
      this.#inProgress.delete(delivery.sequence)
    }
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
    const isDelivered = status !== null && isReceived(status)
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

function isReceived(status: number): boolean {
  return status >= 200 && status < 300
}
