import type { DatabaseSync } from 'node:sqlite'

/** The stored answer of an idempotency key. */
export interface StoredAnswer {
  /** A digest of the request. The same key with another request is refused. */
  request: string
  status: number
  body: string
}

const keptS = 86_400

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
