import { setTimeout as pause } from 'node:timers/promises'
import Type, { type Static } from 'typebox'

/** What goes wrong with the next calls that match. */
export const Failure = Type.Object(
  {
    /** How many calls; 1 unless given. */
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Only calls with this method. */
    method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'])),
    /** Only calls of this path; `*` stands for any text. */
    path: Type.Optional(Type.String()),
    /** `before` (unless given): the call is not carried out. `after`: it is, and only its answer goes wrong. */
    when: Type.Optional(Type.Enum(['before', 'after'])),
    /** Answers with this status instead. */
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    /** With this body, which need not be JSON. Stripe's error for the status, unless given. */
    body: Type.Optional(Type.String()),
    content_type: Type.Optional(Type.String()),
    /** Closes the connection without an answer. */
    reset: Type.Optional(Type.Boolean()),
    /** Waits so long first, in milliseconds; alone it does nothing else. */
    delay_ms: Type.Optional(Type.Integer({ minimum: 0 }))
  },
  { additionalProperties: false }
)

export type Failure = Static<typeof Failure>

/** Failures that are still to happen, in the order in which they were asked for. */
export class Failures {
  #planned: (Failure & { left: number })[] = []

  plan(failure: Failure): void {
    this.#planned.push({ ...failure, left: failure.count ?? 1 })
  }

  clear(): void {
    this.#planned = []
  }

  /** Those that have not happened yet. */
  planned(): Failure[] {
    return this.#planned.map(({ left, ...failure }) => ({ ...failure, count: left }))
  }

  /** Takes the failure of a call, if it is to have one. */
  take(method: string, path: string): Failure | null {
    const failure = this.#planned.find((planned) => matches(planned, method, path))
    if (failure === undefined) return null
    failure.left--
    if (failure.left === 0) this.#planned = this.#planned.filter((planned) => planned !== failure)
    return failure
  }
}

/** Waits as long as a failure asks for, or until `stop`. */
export async function delayOf({ delay_ms = 0 }: Failure, stop: AbortSignal): Promise<void> {
  if (delay_ms > 0) await pause(delay_ms, undefined, { signal: stop, ref: false }).catch(() => {})
}

function matches({ method, path }: Failure, ofMethod: string, ofPath: string): boolean {
  if (method !== undefined && method !== ofMethod) return false
  if (path === undefined) return true
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(ofPath)
}
