import type { MessagesMeasured } from './messages.ts'
import type { Charged, Produced } from './produced-and-charged.ts'
import type { ReceiptsMeasured } from './receipts.ts'

/** Outcome → number of requests. */
export type Outcomes = ReadonlyMap<string, number>

/** The calls that Redis may have lost with its data, because control had not copied them. */
export interface Uncopied {
  /** How long ago control had begun its last complete copy, ms. */
  behindMs: number
  /** Calls that the model server worked on, or had finished since control began that copy. */
  requests: number
  /** Cost of the finished ones, nanodollars. */
  nanos: number
}

/** A cap and its spend. Amounts are nanodollars. */
export interface CapMeasured {
  capNanos: number
  producedNanos: number
  chargedNanos: number
  /** The spend and holds that the ledger may lack when Redis loses data; 0 if it lost none. */
  unknownNanos: number
}

/** A fault's own measurements, as lines of text. */
export interface Findings {
  seen: string[]
  /** One line per broken promise. */
  broken: string[]
}

/** The measurements of one fault, for each promise. */
export interface Measured {
  fault: string
  /** How long the fault lasted, ms. */
  brokenMs: number
  revocations: { count: number; answered: number; maxAcceptedMs: number }
  caps: readonly CapMeasured[]
  produced: Produced
  charged: Charged
  /** What control had not copied yet when Redis lost data; null if it lost none. */
  uncopied: { usage: Uncopied; receipts: Uncopied } | null
  receipts: ReceiptsMeasured
  messages: MessagesMeasured
  /** 401, 402 and 429 answers that only the fault can explain. */
  falseRefusals: Outcomes
  /** Acknowledged keys that do not work, revoked keys without the right refusal, and missing accounts. */
  lost: readonly string[]
  raw: Outcomes
  sdk: Outcomes
  /** The longest time in which this process could not run its event loop, ms. */
  stalledMs: number
  /** From the end of the fault to the last failed request, ms. */
  recoveredMs: number
  findings: Findings
}
