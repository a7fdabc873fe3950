import { AnswerUsage } from '../usage/answer-usage.ts'
import { addCalls } from '../usage/reported-counts.ts'
import type { ReportedUsage } from '../usage/usage.ts'
import { type BodyReading, BodyShape } from './body-shape.ts'
import type { Hidden } from './conceal.ts'
import type { IssuedIds } from './issued-ids.ts'
import { withUsageCost } from './usage-cost.ts'

/** Maximum bytes that are held back until the body proves to be an answer. Errors are shorter. */
const maxHeld = 65_536

/**
 * Passes a single body to the client. Holds its beginning back until it proves to be an answer, so that another call
 * can replace an error.
 */
export class JsonBody {
  /** The usage that the body reports. */
  usage: ReportedUsage | null = null
  /** Reads the structure of the body. */
  protected readonly shape: BodyShape
  readonly #read: (text: string) => ReportedUsage | null
  /** Bytes that the upstream announced and has not sent yet; -1 if it announced no length. */
  #remaining: number
  #search: AnswerUsage | null = null
  #backlog: Buffer[] = []
  #backlogBytes = 0
  #isPassing = false
  /** Whether the shape has already read the bytes of the next `push`. */
  #isRead = false

  /**
   * @param reading how its API writes it
   * @param read reads the text of its usage object
   * @param length of the body in bytes, -1 if unknown
   */
  constructor(reading: BodyReading, read: (text: string) => ReportedUsage | null, length: number) {
    this.shape = new BodyShape(reading)
    this.#read = read
    this.#remaining = length
  }

  /** The model that the body names; null if it names none. */
  get model(): string | null {
    return this.shape.model
  }

  /** Whether the announced number of bytes arrived. */
  get hasAllBytes(): boolean {
    return this.#remaining === 0
  }

  /** Whether a part of an answer arrived. A body with an error is an answer only if a part of it has passed. */
  get isAnswer(): boolean {
    return this.shape.isAnswer && (!this.shape.reportsError || this.#isPassing)
  }

  /**
   * Whether the provider may have made the answer. A provider makes a whole body before it sends the first byte or the
   * length. If the connection breaks after that, the provider bills the answer, and no other call follows.
   */
  get hasBegun(): boolean {
    return !this.isInvalid && (!this.shape.isBlank || this.#remaining > 0)
  }

  /** Whether the whole body is an answer. */
  get isWhole(): boolean {
    return this.shape.isAnswer && this.shape.isClosed && !this.shape.reportsError
  }

  /** Whether the whole body reports an error, perhaps after a part of an answer. */
  get isError(): boolean {
    return this.shape.isClosed && this.shape.reportsError
  }

  /** The ids of a whole answer that the provider may store; null if there are none. */
  get issued(): IssuedIds | null {
    return null
  }

  /** The error of a whole answer that reports that it failed; null if it does not. */
  get failure(): unknown {
    return null
  }

  /** Replaces what the {@link failure} must not tell the client. @param body all of its bytes */
  conceal(body: Buffer, _hidden: Hidden): Buffer {
    return body
  }

  /** Writes the cost into the usage object. @param body all of its bytes; others stay as they are */
  withCost(body: Buffer, nanos: number): Buffer {
    const { bytes, spanFrom, spanEnd } = this.shape
    return spanEnd < 0 || body.length !== bytes ? body : withUsageCost(body, spanFrom, spanEnd, nanos)
  }

  /** Counts the calls of the provider's tools in the body so far, by the type of tool; null if the format has none. */
  protected countCalls(): ReadonlyMap<string, number> | null {
    return null
  }

  /** Adds what the body has beside its usage object. */
  #completeUsage(): void {
    if (this.usage === null) return
    this.usage.tier ??= this.shape.tier
    const calls = this.countCalls()
    if (calls !== null && calls.size > 0) addCalls(this.usage, calls)
  }

  /** Whether the body cannot become an answer. */
  get isInvalid(): boolean {
    return this.shape.isFaulty || (this.shape.isClosed && !this.isWhole)
  }

  /** Number of missing bytes; -1 if unknown. */
  get remaining(): number {
    return this.#remaining
  }

  /**
   * Reads a body that arrived in one piece, as nearly all do.
   *
   * @param text the bytes, one character each
   * @returns the usage of an answer. If it is null or incomplete, push the bytes
   */
  readAll(bytes: Buffer, text: string): ReportedUsage | null {
    if (this.#remaining !== bytes.length || this.#search !== null) return null
    this.shape.push(bytes)
    this.#isRead = true
    const { spanFrom, spanEnd } = this.shape
    if (this.isWhole && spanEnd >= 0) this.usage = this.#read(text.slice(spanFrom, spanEnd))
    this.#completeUsage()
    return this.usage
  }

  /**
   * @param bytes are kept
   * @returns the bytes that the client may get now, in order
   */
  push(bytes: Buffer): readonly Buffer[] {
    if (!this.#isRead) this.shape.push(bytes)
    this.#isRead = false
    if (this.#remaining > 0) this.#remaining = Math.max(0, this.#remaining - bytes.length)
    this.#search ??= new AnswerUsage(this.#read)
    this.#search.push(bytes, this.shape.spanFrom, this.shape.spanEnd)
    this.usage = this.#search.usage
    this.#completeUsage()
    if (this.isInvalid) return none
    // White space keeps a connection alive while the model works.
    this.#isPassing ||= this.isAnswer || this.#backlogBytes + bytes.length > maxHeld
    if (!this.#isPassing && !this.shape.isBlank) {
      this.#backlog.push(bytes)
      this.#backlogBytes += bytes.length
      return none
    }
    const passing = [...this.#backlog, bytes]
    // Without a length, one piece is held back, so that it is written together with the end.
    this.#backlog = this.#remaining < 0 && this.#isPassing ? passing.splice(-1) : []
    return passing
  }

  /** The held-back bytes at the end of a body of unknown length. */
  rest(): readonly Buffer[] {
    return this.#backlog
  }

  /** The kept beginning of the body, and the number of other bytes. Nothing is kept once the usage is complete. */
  passed(): { bytes: Buffer; unseenBytes: number } {
    return this.#search?.passed() ?? { bytes: noBytes, unseenBytes: 0 }
  }
}

const none: readonly Buffer[] = []
const noBytes = Buffer.alloc(0)
