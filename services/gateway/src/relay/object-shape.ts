import type { BodyShape } from './json-body.ts'
import { MemberScan } from './member-scan.ts'

/** What the members of a single body say. */
export interface BodyReading {
  /** The members that are read, with the usage. */
  readonly paths: readonly string[]
  /** The path of the usage object. */
  readonly usage: string
  /** Whether the members so far make the body an answer. */
  readonly isAnswer: (body: MemberScan) => boolean
  /** Whether the members so far report an error instead of an answer. */
  readonly isError: (body: MemberScan) => boolean
}

/** Reads the structure of a single body of Responses or Messages as its bytes pass. */
export class ObjectShape implements BodyShape {
  readonly #reading: BodyReading
  readonly #scan: MemberScan

  constructor(reading: BodyReading) {
    this.#reading = reading
    this.#scan = new MemberScan(reading.paths, reading.usage)
  }

  /** The members that arrived so far. */
  get members(): MemberScan {
    return this.#scan
  }

  get hasList(): boolean {
    return this.#reading.isAnswer(this.#scan)
  }

  get reportsError(): boolean {
    return this.#reading.isError(this.#scan)
  }

  get isFaulty(): boolean {
    return this.#scan.isFaulty
  }

  get isBlank(): boolean {
    return this.#scan.isBlank
  }

  get isClosed(): boolean {
    return this.#scan.isClosed && !this.#scan.isFaulty
  }

  get tier(): string | null {
    const tier = this.#scan.valueOf('service_tier')
    return typeof tier === 'string' ? tier : null
  }

  get model(): string | null {
    const model = this.#scan.valueOf('model')
    return typeof model === 'string' ? model : null
  }

  get usageFrom(): number {
    return this.#scan.spanFrom
  }

  get usageEnd(): number {
    return this.#scan.spanEnd
  }

  push(bytes: Buffer): void {
    this.#scan.push(bytes)
  }
}
