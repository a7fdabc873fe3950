import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from './clock.ts'
import type { Emit } from './events/emit.ts'
import type { PaymentsSettings } from './settings.ts'
import type { Answers } from './store/answers.ts'
import type { Deliveries } from './store/deliveries.ts'
import type { Objects } from './store/objects.ts'

/** What the endpoints work with. */
export interface PaymentsContext {
  readonly settings: PaymentsSettings
  readonly database: DatabaseSync
  readonly objects: Objects
  readonly answers: Answers
  readonly deliveries: Deliveries
  readonly clock: Clock
  /** Records an event, and that the endpoints are to hear of it. */
  readonly emit: Emit
  /** `http://127.0.0.1:<port>`. Known once the server listens. */
  baseUrl(): string
}
