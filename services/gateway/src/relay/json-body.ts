import { AnswerUsage } from '../usage/answer-usage.ts'
import { type ReportedUsage, readUsageText } from '../usage/usage.ts'
import { AnswerShape } from './answer-shape.ts'

/** So much of a body is held back until it is known to be an answer. An error has less. */
const maxHeld = 65_536

/**
 * A single body on its way to the client. Its beginning is held back until it is known to be an answer, so that another
 * call can replace a body that is not an answer.
 */
export class JsonBody {
  /** What the body reports of its usage. */
  usage: ReportedUsage | null = null
  readonly #shape: AnswerShape
  /** Bytes that the upstream said it will send and has not sent yet; -1 if it did not say. */
  #remaining: number
  #search: AnswerUsage | null = null
  #held: Buffer[] = []
  #heldBytes = 0
  #isPassing = false
  /** Whether the bytes that are pushed next have been judged. */
  #isJudged = false

  /** @param length of the body in bytes, -1 if it is not known */
  constructor(list: 'choices' | 'data', length: number) {
    this.#shape = new AnswerShape(list)
    this.#remaining = length
  }

  /** Whether all bytes have come that the upstream said it will send. */
  get isAllHere(): boolean {
    return this.#remaining === 0
  }

  /** Whether the body has brought a part of an answer. An error counts only if a part of it has passed. */
  get isAnswer(): boolean {
    return this.#shape.hasList && (!this.#shape.tellsError || this.#isPassing)
  }

  /**
   * Whether the provider may have made the answer. All of a body exists before its first byte comes, or its length. So if the
   * connection breaks then, the provider bills the answer, and no other is asked for.
   */
  get hasBegun(): boolean {
    return !this.isHopeless && (!this.#shape.isBlank || this.#remaining > 0)
  }

  /** Whether the body is an answer, from its beginning to its end. */
  get isWhole(): boolean {
    return this.#shape.hasList && this.#shape.isClosed && !this.#shape.tellsError
  }

  /** Whether the body cannot become an answer. */
  get isHopeless(): boolean {
    return this.#shape.isFaulty || (this.#shape.isClosed && !this.isWhole)
  }

  /** Bytes that are still to come; -1 if nobody knows. */
  get remaining(): number {
    return this.#remaining
  }

  /**
   * Looks into a body that came in one piece: nearly all do.
   *
   * @param text the bytes, each a character
   * @returns what it reports of its usage, if it is an answer. Without all of it the bytes have to be pushed
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
   * @returns what may pass to the client now, in order
   */
  push(bytes: Buffer): readonly Buffer[] {
    if (!this.#isJudged) this.#shape.push(bytes)
    this.#isJudged = false
    if (this.#remaining > 0) this.#remaining = Math.max(0, this.#remaining - bytes.length)
    this.#search ??= new AnswerUsage()
    this.#search.push(bytes, this.#shape.usageFrom, this.#shape.usageEnd)
    this.usage = this.#search.usage
    if (this.isHopeless) return none
    // White space keeps a connection alive while the model works.
    this.#isPassing ||= this.isAnswer || this.#heldBytes + bytes.length > maxHeld
    if (!this.#isPassing && !this.#shape.isBlank) {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
      return none
    }
    const passing = [...this.#held, bytes]
    // Whether a piece is the last is known only when the end comes: then the answer may be one piece, and none.
    this.#held = this.#remaining < 0 && this.#isPassing ? passing.splice(-1) : []
    return passing
  }

  /** What was held back until the end of a body whose length was not known. */
  rest(): readonly Buffer[] {
    return this.#held
  }

  /** What came of the body while its usage was not complete, and how many bytes are not kept. */
  passed(): { bytes: Buffer; unseenBytes: number } {
    return this.#search?.passed() ?? { bytes: noBytes, unseenBytes: 0 }
  }
}

const none: readonly Buffer[] = []
const noBytes = Buffer.alloc(0)
