import type { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../open-sqlite.ts'

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
