import type { BodyMemory, BodySender } from '../body/body-memory.ts'
import type { CallsInFlight } from '../http/draining.ts'
import type { Claim } from '../idempotency/claim.ts'

/** Counts the admitted requests of this process that have not ended. */
export class OpenCalls {
  count = 0
  /** Those that asked for a stream. */
  streams = 0

  began(isStream: boolean): void {
    this.count++
    if (isStream) this.streams++
  }

  ended(isStream: boolean): void {
    this.count--
    if (isStream) this.streams--
  }
}

/**
 * What a request holds in this process from when its body has arrived until it is over: its place among the calls that
 * a stop waits for, the memory of its body, its upstreams, and its right to run. All of it is released at once, however
 * the request ends.
 */
export class RequestResources {
  /** The right to run this request, if its client may repeat it. */
  claim: Claim | null = null
  readonly #calls: CallsInFlight
  readonly #memory: BodyMemory
  readonly #sender: BodySender
  readonly #bodyBytes: number
  #upstreams: CallsInFlight | null = null
  #isReleased = false

  /** @param bodyBytes that the memory holds for it */
  constructor(calls: CallsInFlight, memory: BodyMemory, sender: BodySender, bodyBytes: number) {
    this.#calls = calls
    this.#memory = memory
    this.#sender = sender
    this.#bodyBytes = bodyBytes
    calls.entered()
  }

  /** Keeps a set of upstreams open, also if others replace it meanwhile. */
  useUpstreams(requests: CallsInFlight): void {
    requests.entered()
    this.#upstreams = requests
  }

  /** Has no effect the second time. A claim whose answer was not kept is given up: the next repeat runs. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.claim?.drop()
    this.#upstreams?.left()
    this.#memory.release(this.#sender, this.#bodyBytes)
    this.#calls.left()
  }
}
