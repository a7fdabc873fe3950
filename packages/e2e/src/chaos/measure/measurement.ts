import type { Charged, Produced } from './usage.ts'

/** How often requests ended in which way. */
export type Outcomes = ReadonlyMap<string, number>

/** A cap, and what was spent of it. Amounts are nanodollars. */
export type CapMeasured = {
  capNanos: number
  producedNanos: number
  chargedNanos: number
  /** What may have been spent or held when Redis lost what it knew, and not been in the ledger; 0 if it lost nothing. */
  unknownNanos: number
}

/** What a fault itself has looked at. Lines of text. */
export type Findings = {
  seen: string[]
  /** One for each promise that was broken. */
  broken: string[]
}

/** What was seen of the promises while a fault was inflicted. */
export type Measured = {
  fault: string
  /** How long it lasted, ms. */
  brokenMs: number
  revocations: { count: number; answered: number; longestAcceptedMs: number }
  caps: readonly CapMeasured[]
  produced: Produced
  charged: Charged
  /** What the model server finished in the two seconds before Redis lost what it knew; 0 if it lost nothing. */
  uncopiedNanos: number
  /** 401, 402 and 429 that nothing but the fault is a reason for. */
  falseRefusals: Outcomes
  /** Keys that were acknowledged and do not work, keys that were revoked and are not refused as such, accounts that are gone. */
  lost: readonly string[]
  raw: Outcomes
  sdk: Outcomes
  /** The longest time for which the machine gave this process no core, or kept it busy, ms. */
  stalledMs: number
  /** From the end of the fault to the last request that failed, ms. */
  healedMs: number
  findings: Findings
}
