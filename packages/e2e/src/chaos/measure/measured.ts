import type { Charged, Produced } from './produced-and-charged.ts'

/** Outcome → number of requests. */
export type Outcomes = ReadonlyMap<string, number>

/** A cap and its spend. Amounts are nanodollars. */
export interface CapMeasured {
  capNanos: number
  producedNanos: number
  chargedNanos: number
  /** What may have been spent or held, but not yet in the ledger, when Redis lost data; 0 if it lost none. */
  unknownNanos: number
}

/** What a fault itself measured. Lines of text. */
export interface Findings {
  seen: string[]
  /** One line per broken promise. */
  broken: string[]
}

/** What was measured for each promise while a fault was inflicted. */
export interface Measured {
  fault: string
  /** How long the fault lasted, ms. */
  brokenMs: number
  revocations: { count: number; answered: number; longestAcceptedMs: number }
  caps: readonly CapMeasured[]
  produced: Produced
  charged: Charged
  /** Cost of what the model server finished in the two seconds before Redis lost data; 0 if it lost none. */
  uncopiedNanos: number
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
