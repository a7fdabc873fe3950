import { setTimeout as pause } from 'node:timers/promises'

/** The longest delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

/** A planned failure of the next matching calls. */
export interface Failure {
  /** The number of calls; 1 by default. */
  count?: number
  /** Only calls with this method. */
  method?: 'GET' | 'POST' | 'DELETE'
  /** Only calls of this path; `*` matches any text. */
  path?: string
  /** `before` (default): the call does not run. `after`: the call runs, and only its answer fails. */
  when?: 'before' | 'after'
  /** The status to answer with. */
  status?: number
  /** The body to answer with, not necessarily JSON. Default: Stripe's error for the status. */
  body?: string
  content_type?: string
  /** Closes the connection without an answer. */
  reset?: boolean
  /** A delay before the answer, in milliseconds. Alone, it only delays the call. */
  delay_ms?: number
  /** Waits until the failures are cleared. Then the call goes on as after a delay. */
  hang?: boolean
}

/** The planned failures, in the order of planning. */
export class Failures {
  #planned: (Failure & { left: number })[] = []
  #cleared = new AbortController()

  plan(failure: Failure): void {
    this.#planned.push({ ...failure, left: failure.count ?? 1 })
  }

  clear(): void {
    this.#planned = []
    this.#cleared.abort()
    this.#cleared = new AbortController()
  }

  /** The failures that have not happened yet. */
  planned(): Failure[] {
    return this.#planned.map(({ left, ...failure }) => ({ ...failure, count: left }))
  }

  /** Removes and returns the planned failure of a call; null if no failure is planned. */
  take(method: string, path: string): Failure | null {
    const failure = this.#planned.find((planned) => matches(planned, method, path))
    if (failure === undefined) return null
    failure.left--
    if (failure.left === 0) this.#planned = this.#planned.filter((planned) => planned !== failure)
    return failure
  }

  /** Waits as long as the failure says, or until `stop` is aborted. */
  async wait({ delay_ms = 0, hang = false }: Failure, stop: AbortSignal): Promise<void> {
    if (hang)
      await pause(maxDelayMs, undefined, { signal: AbortSignal.any([stop, this.#cleared.signal]), ref: false }).catch(
        () => {}
      )
    if (delay_ms > 0) await pause(delay_ms, undefined, { signal: stop, ref: false }).catch(() => {})
  }
}

function matches({ method, path }: Failure, ofMethod: string, ofPath: string): boolean {
  if (method !== undefined && method !== ofMethod) return false
  if (path === undefined) return true
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(ofPath)
}
