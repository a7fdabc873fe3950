/** A received API call. */
export interface RecordedCall {
  method: string
  path: string
  /** The form or query string. */
  params: string
  idempotency_key: string | null
  request_id: string
  /** null: not answered. */
  status: number | null
  is_replayed: boolean
  /** Unix milliseconds of the machine's clock. */
  at_ms: number
}

const capacity = 10_000

/** The latest calls, oldest first. */
export class CallRecord {
  #calls: RecordedCall[] = []

  add(call: RecordedCall): void {
    this.#calls.push(call)
    if (this.#calls.length > capacity) this.#calls.shift()
  }

  list(): readonly RecordedCall[] {
    return this.#calls
  }

  clear(): void {
    this.#calls = []
  }
}
