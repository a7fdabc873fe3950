import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from './clock.ts'
import type { Emit } from './events/emit.ts'
import type { PaymentsSettings } from './settings.ts'
import type { Answers } from './store/answers.ts'
import type { Deliveries } from './store/deliveries.ts'
import type { Objects } from './store/objects.ts'

/** Everything that the endpoints share. */
export interface PaymentsContext {
  readonly settings: PaymentsSettings
  readonly database: DatabaseSync
  readonly objects: Objects
  readonly answers: Answers
  readonly deliveries: Deliveries
  readonly clock: Clock
  /** Stores an event and a delivery for each webhook endpoint. */
  readonly emit: Emit
  /** `http://127.0.0.1:<port>`, known once the server listens. */
  baseUrl(): string
}
