import type { RepeatableRequest } from '@tollgate/state/idempotency/idempotency.ts'
import { type KeptAnswer, sealAnswer } from './kept-answer.ts'
import type { SealedRequest } from './repeatable-request.ts'

/** How often a claim is renewed, ms: a third of the time that others wait for its holder. */
const renewMs = 5000

/** Renews and ends claims in Redis. Nothing rejects or throws. An end is repeated until Redis has it. */
export interface ClaimWrites {
  /** @returns whether the caller still holds the claim, as far as is known */
  renew(request: RepeatableRequest, token: string): Promise<boolean>
  /** @param answer null to keep only a mark */
  keep(request: RepeatableRequest, token: string, answer: Buffer | null): void
  drop(request: RepeatableRequest, token: string): void
}

/** The right of this process to run a request, while repeats of it wait. It is renewed until it ends. */
export class Claim {
  readonly #request: SealedRequest
  readonly #token: string
  readonly #writes: ClaimWrites
  #timer: NodeJS.Timeout
  #isOver = false

  constructor(request: SealedRequest, token: string, writes: ClaimWrites) {
    this.#request = request
    this.#token = token
    this.#writes = writes
    this.#timer = this.#renewLater()
  }

  /** Keeps the answer. @param answer null for one that is too long: repeats then learn that it is not kept */
  keep(answer: KeptAnswer | null): void {
    if (!this.#end()) return
    const sealed = answer === null ? null : sealAnswer(this.#request.answerKey, answer)
    this.#writes.keep(this.#request, this.#token, sealed)
  }

  /** The request has no whole answer: the next repeat runs. Has no effect after the end of the claim. */
  drop(): void {
    if (this.#end()) this.#writes.drop(this.#request, this.#token)
  }

  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#timer)
    return true
  }

  #renewLater(): NodeJS.Timeout {
    return setTimeout(() => {
      void this.#writes.renew(this.#request, this.#token).then((isHeld) => {
        if (isHeld && !this.#isOver) this.#timer = this.#renewLater()
      })
    }, renewMs).unref()
  }
}
