import { AnswerUsage } from '../usage/answer-usage.ts'
import { type ReportedUsage, readUsageText } from '../usage/usage.ts'
import { AnswerShape } from './answer-shape.ts'

/** Maximum bytes of a body that are held back until it is known to be an answer. Errors are shorter. */
const maxHeld = 65_536

/**
 * A single body on its way to the client. Its beginning is held back until it is known to be an answer, so that another
 * call can replace a body that is not an answer.
 */
export class JsonBody {
  /** The usage that the body reports. */
  usage: ReportedUsage | null = null
  readonly #shape: AnswerShape
  /** Bytes that the upstream announced and has not sent yet; -1 if it announced no length. */
  #remaining: number
  #search: AnswerUsage | null = null
  #held: Buffer[] = []
  #heldBytes = 0
  #isPassing = false
  /** Whether the shape has read the bytes that are pushed next. */
  #isJudged = false

  /** @param length of the body in bytes, -1 if unknown */
  constructor(list: 'choices' | 'data', length: number) {
    this.#shape = new AnswerShape(list)
    this.#remaining = length
  }

  /** Whether all bytes have come that the upstream announced. */
  get isAllHere(): boolean {
    return this.#remaining === 0
  }

  /** Whether a part of an answer has come. A body with an error is an answer only if a part of it has passed. */
  get isAnswer(): boolean {
    return this.#shape.hasList && (!this.#shape.tellsError || this.#isPassing)
  }

  /**
   * Whether the provider may have made the answer. All of a body exists before its first byte, or its length, comes. If the
   * connection breaks after that, the provider bills the answer, and the relay does not ask for another.
   */
  get hasBegun(): boolean {
    return !this.isInvalid && (!this.#shape.isBlank || this.#remaining > 0)
  }

  /** Whether the body is an answer, from its beginning to its end. */
  get isWhole(): boolean {
    return this.#shape.hasList && this.#shape.isClosed && !this.#shape.tellsError
  }

  /** Whether the body cannot become an answer. */
  get isInvalid(): boolean {
    return this.#shape.isFaulty || (this.#shape.isClosed && !this.isWhole)
  }

  /** Bytes that are still to come; -1 if unknown. */
  get remaining(): number {
    return this.#remaining
  }

  /**
   * Reads a body that came in one piece, as nearly all do.
   *
   * @param text the bytes, one character each
   * @returns the usage that an answer reports. If it is incomplete, push the bytes
   */
  readAll(bytes: Buffer, text: string): ReportedUsage | null {
    if (this.#remaining !== bytes.length || this.#search !== null) return null
    this.#shape.push(bytes)
    this.#isJudged = true
    const { usageFrom, usageEnd } = this.#shape
    if (this.isWhole && usageEnd >= 0) this.usage = readUsageText(text.slice(usageFrom, usageEnd))
    return this.usage
  }

  /**
   * @param bytes are kept
   * @returns the bytes that may pass to the client now, in order
   */
  push(bytes: Buffer): readonly Buffer[] {
    if (!this.#isJudged) this.#shape.push(bytes)
    this.#isJudged = false
    if (this.#remaining > 0) this.#remaining = Math.max(0, this.#remaining - bytes.length)
    this.#search ??= new AnswerUsage()
    this.#search.push(bytes, this.#shape.usageFrom, this.#shape.usageEnd)
    this.usage = this.#search.usage
    if (this.isInvalid) return none
    // White space keeps a connection alive while the model works.
    this.#isPassing ||= this.isAnswer || this.#heldBytes + bytes.length > maxHeld
    if (!this.#isPassing && !this.#shape.isBlank) {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
      return none
    }
    const passing = [...this.#held, bytes]
    // Without a length, one piece is held back for the end, so that it leaves together with the end.
    this.#held = this.#remaining < 0 && this.#isPassing ? passing.splice(-1) : []
    return passing
  }

  /** The bytes that were held back until the end of a body of unknown length. */
  rest(): readonly Buffer[] {
    return this.#held
  }

  /** The bytes that came while the usage was incomplete, and how many bytes were not kept. */
  passed(): { bytes: Buffer; unseenBytes: number } {
    return this.#search?.passed() ?? { bytes: noBytes, unseenBytes: 0 }
  }
}

const none: readonly Buffer[] = []
const noBytes = Buffer.alloc(0)
