import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import type { Delivery } from '../store/deliveries.ts'
import { type DeliveryMode, names } from './delivery-mode.ts'
import { sendDelivery } from './send-delivery.ts'
import { shuffle } from './shuffle.ts'

const longestPauseMs = 60_000

export type DelivererContext = Pick<PaymentsContext, 'database' | 'deliveries' | 'objects' | 'settings'>

/** Sends events to their endpoints until each was received, again and again with growing pauses. */
export class Deliverer {
  readonly #context: DelivererContext
  readonly #mode: () => DeliveryMode
  readonly #random: () => number
  readonly #underway = new Set<number>()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  /** @param random chooses the order where the mode asks for a random one */
  constructor(context: DelivererContext, mode: () => DeliveryMode, random: () => number) {
    this.#context = context
    this.#mode = mode
    this.#random = random
  }

  /** Sends what is due, and later what is due later. To be called after every change. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    const nowMs = Date.now()
    const waiting = this.#waiting()
    const due = waiting.filter(({ next_ms }) => next_ms <= nowMs)
    for (const { sequence } of due) this.#underway.add(sequence)
    const turns = this.#mode().shuffle ? [shuffle(due, this.#random)] : due.map((delivery) => [delivery])
    for (const turn of turns) void this.#sendInTurn(turn)
    const later = waiting.filter(({ next_ms }) => next_ms > nowMs).map(({ next_ms }) => next_ms)
    clearTimeout(this.#timer)
    if (later.length > 0) this.#timer = setTimeout(() => this.wake(), Math.min(...later) - nowMs)
    this.#tellIfIdle()
  }

  /** Sends these held deliveries, in this order and each once the one before was answered. */
  async release(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      this.#underway.add(delivery.sequence)
      this.#context.deliveries.update({ ...delivery, state: 'pending' })
    }
    await this.#sendInTurn(deliveries.map((delivery) => ({ ...delivery, state: 'pending' })))
  }

  /** Sends an event once more to all its endpoints, whatever became of it before. Returns what they answered. */
  async resend(eventId: string): Promise<(number | null)[]> {
    const deliveries = this.#context.deliveries.ofEvent(eventId)
    return Promise.all(deliveries.map((delivery) => this.#post(delivery)))
  }

  /** Resolves when every event that is neither held nor dropped was received or has failed for good. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#tellIfIdle()
    })
  }

  /** Stops sending. What was not received is sent by the next server with the same data. */
  close(): void {
    clearTimeout(this.#timer)
    this.#stop.abort()
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #waiting(): Delivery[] {
    return this.#context.deliveries.inState('pending').filter(({ sequence }) => !this.#underway.has(sequence))
  }

  #tellIfIdle(): void {
    if (this.#underway.size > 0 || this.#idle.length === 0 || this.#waiting().length > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #sendInTurn(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    for (const delivery of deliveries) {
      const status = await this.#post(delivery)
      if (status !== null && isReceived(status) && names(this.#mode().duplicate, delivery.event_type)) {
        await this.#post(delivery)
      }
      if (this.#stop.signal.aborted) return
      this.#record(delivery, status)
      this.#underway.delete(delivery.sequence)
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
        next_ms: Date.now() + Math.min(settings.webhookRetryMs * 2 ** (tries - 1), longestPauseMs),
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
