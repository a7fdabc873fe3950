/** Reads the structure of a single body as its bytes pass, without parsing it. */
export interface BodyShape {
  /** Whether the body has what makes it an answer of its format. */
  readonly hasList: boolean
  /** Whether the bytes cannot be one JSON object. */
  readonly isFaulty: boolean
  /** Whether the body reports an error, so that it is no answer. */
  readonly reportsError: boolean
  /** The service tier that the body names; null before it. */
  readonly tier: string | null
  /** The model that the body names; null before it. */
  readonly model: string | null
  /** Index of the first byte of the last usage object; -1 before it. */
  readonly usageFrom: number
  /** Index after the last byte of that object; -1 before it. */
  readonly usageEnd: number
  /** Whether only white space arrived. */
  readonly isBlank: boolean
  /** Whether the object has ended, with nothing after it. */
  readonly isClosed: boolean
  push(bytes: Buffer): void
}
