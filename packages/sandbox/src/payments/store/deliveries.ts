import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/** `pending`: not delivered yet. `failed`: all attempts failed. */
export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** The delivery of an event to an endpoint. */
export interface Delivery {
  sequence: number
  event_id: string
  event_type: string
  endpoint_id: string
  state: DeliveryState
  /** The number of attempts so far. */
  tries: number
  /** The time of the next attempt, in Unix milliseconds. */
  next_ms: number
  /** The endpoint's last status; null: no answer. */
  last_status: number | null
}

export interface Deliveries {
  add(delivery: Omit<Delivery, 'sequence' | 'state' | 'tries' | 'last_status'>): void
  update(delivery: Delivery): void
  /** Oldest first. */
  inState(state: DeliveryState): Delivery[]
  all(): Delivery[]
}

export function createDeliveries(database: DatabaseSync): Deliveries {
  const add = database.prepare(
    "insert into deliveries (event_id, event_type, endpoint_id, state, tries, next_ms) values (?, ?, ?, 'pending', 0, ?)"
  )
  const update = database.prepare(
    'update deliveries set state = ?2, tries = ?3, next_ms = ?4, last_status = ?5 where sequence = ?1'
  )
  const inState = database.prepare('select * from deliveries where state = ? order by sequence')
  const all = database.prepare('select * from deliveries order by sequence')
  return {
    add: ({ event_id, event_type, endpoint_id, next_ms }) => void add.run(event_id, event_type, endpoint_id, next_ms),
    update: ({ sequence, state, tries, next_ms, last_status }) =>
      void update.run(sequence, state, tries, next_ms, last_status),
    inState: (state) => inState.all(state).map(read),
    all: () => all.all().map(read)
  }
}

function read(row: Record<string, SQLOutputValue>): Delivery {
  return {
    sequence: Number(row.sequence),
    event_id: String(row.event_id),
    event_type: String(row.event_type),
    endpoint_id: String(row.endpoint_id),
    state: row.state as DeliveryState,
    tries: Number(row.tries),
    next_ms: Number(row.next_ms),
    last_status: row.last_status === null ? null : Number(row.last_status)
  }
}
