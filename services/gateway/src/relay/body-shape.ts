import { MemberScan } from './member-scan.ts'
import { type Level, prepareSearch } from './searched-members.ts'

/** Longer names of models and service tiers are cut. */
const maxNameLength = 200

/** How an API writes a single body. Paths and signs are those of `SearchedMembers`. */
interface BodyMembers {
  /** The sign that the body is an answer. */
  readonly answer: string
  /** The signs that it reports an error, so that it is no answer. */
  readonly errors?: readonly string[]
  /** The values that are read, beside the model and the usage. */
  readonly values?: readonly string[]
  /**
   * Whether a whole object that reports usage is an answer without the sign: filters of providers answer so, and the
   * provider bills what it reports.
   */
  readonly isUsageEnough?: boolean
}

/** The same, prepared once by each API. */
export interface BodyReading {
  readonly search: Level
  readonly isUsageEnough: boolean
}

const [answerSigns, errorSigns] = [0, 1]

export function bodyReading({ answer, errors = [], values = [], isUsageEnough = false }: BodyMembers): BodyReading {
  const signs = [[answer], errors]
  const search = prepareSearch({ values: ['model', ...values], span: 'usage', signs })
  return { search, isUsageEnough }
}

/** Reads the structure of a single body as its bytes pass, without parsing it. Its span is the usage object. */
export class BodyShape extends MemberScan {
  readonly #isUsageEnough: boolean

  constructor({ search, isUsageEnough }: BodyReading) {
    super(search)
    this.#isUsageEnough = isUsageEnough
  }

  /** Whether the bytes so far make the body an answer of its format, unless it {@link reportsError}. */
  get isAnswer(): boolean {
    return this.hasSign(answerSigns) || (this.#isUsageEnough && this.isClosed && this.spanEnd >= 0)
  }

  /** Whether the body reports an error, so that it is no answer. */
  get reportsError(): boolean {
    return this.hasSign(errorSigns)
  }

  /** The service tier, if the API reads it; null before it. */
  get tier(): string | null {
    return this.#nameAt('service_tier')
  }

  /** The model that the body names; null before it. */
  get model(): string | null {
    return this.#nameAt('model')
  }

  #nameAt(path: string): string | null {
    const name = this.valueOf(path)
    return typeof name === 'string' ? name.slice(0, maxNameLength) : null
  }
}
