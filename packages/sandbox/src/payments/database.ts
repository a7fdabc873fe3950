import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { openSqlite } from '../open-sqlite.ts'

const keptS = 86_400

const schema = `
  create table objects (
    sequence integer primary key autoincrement, kind text not null, id text not null, grouped_by text, due_s integer,
    document text not null, unique (kind, id)
  ) strict;
  create index objects_of_group on objects (kind, grouped_by, sequence);
  create index objects_due on objects (due_s, sequence) where due_s is not null;
  create table deliveries (
    sequence integer primary key autoincrement, event_id text not null, event_type text not null,
    endpoint_id text not null, state text not null, tries integer not null, next_ms integer not null, last_status integer
  ) strict;
  create index deliveries_by_state on deliveries (state, next_ms);
  create index deliveries_of_event on deliveries (event_id);
  create table answers (
    key text primary key, request text not null, status integer not null, body text not null, created_s integer not null
  ) strict;
  create table numbers (name text primary key, value integer not null) strict;
`

/**
 * Opens the database of the payments server.
 *
 * @param directory the directory of `payments.sqlite`, made if absent; null keeps everything in memory
 * @throws Error if another process holds the file, or if another version made it
 */
export function openDatabase(directory: string | null): DatabaseSync {
  return openSqlite({ directory, fileName: 'payments.sqlite', schema, version: 1, owner: 'payments server' })
}

/** The stored answer of an idempotency key. */
interface StoredAnswer {
  /** A digest of the request. The same key with another request is refused. */
  request: string
  status: number
  body: string
}

/** Stores answers by idempotency key for a day. */
export interface Answers {
  get(key: string, nowS: number): StoredAnswer | null
  put(key: string, answer: StoredAnswer, nowS: number): void
}

export function createAnswers(database: DatabaseSync): Answers {
  const get = database.prepare('select request, status, body from answers where key = ? and created_s > ?')
  const put = database.prepare(
    'insert or replace into answers (key, request, status, body, created_s) values (?, ?, ?, ?, ?)'
  )
  const prune = database.prepare('delete from answers where created_s <= ?')
  return {
    get(key, nowS) {
      const row = get.get(key, nowS - keptS)
      if (row === undefined) return null
      return { request: String(row.request), status: Number(row.status), body: String(row.body) }
    },
    put(key, { request, status, body }, nowS) {
      prune.run(nowS - keptS)
      put.run(key, request, status, body, nowS)
    }
  }
}

/** `pending`: not delivered yet. `failed`: all attempts failed. */
type DeliveryState = 'pending' | 'delivered' | 'failed'

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

/** Numbers that survive a restart. */
export interface Numbers {
  /** 0 if it was never set. */
  get(name: string): number
  set(name: string, value: number): void
}

export function createNumbers(database: DatabaseSync): Numbers {
  const get = database.prepare('select value from numbers where name = ?')
  const set = database.prepare('insert or replace into numbers (name, value) values (?, ?)')
  return {
    get: (name) => Number(get.get(name)?.value ?? 0),
    set: (name, value) => void set.run(name, value)
  }
}
