import type { DatabaseSync } from 'node:sqlite'

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
