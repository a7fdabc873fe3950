import type { RefusedAmounts } from '../errors/refused-amounts.ts'
import type { FrequentCounter, MeasuredCounter, RareCounts } from '../meters/meters.ts'

/**
 * What became of a request. `refused`: it was not admitted. `reaped`: its gateway died, so its whole reservation is
 * charged until the gateway's own receipt, if it still comes, replaces this one. `settled`: it was admitted, and its
 * real cost is charged. `cancelled`: it was reaped, and then its gateway said that it had called nobody, so nothing is
 * charged and the usage does not count it.
 *
 * A later kind replaces an earlier one of the same request.
 */
export const receiptKinds = ['refused', 'reaped', 'settled', 'cancelled'] as const
export type ReceiptKind = (typeof receiptKinds)[number]

/** What a request used, and its cost in nanodollars. */
export interface RequestCounts extends Record<MeasuredCounter & FrequentCounter, number> {
  /** null if all of them are 0, as for most requests. */
  rare: RareCounts | null
}

/** The counts of a request that was not served. */
export const nothingCounted: Readonly<RequestCounts> = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  costNanos: 0,
  rare: null
}

/** A call of an upstream that failed. */
export interface FailedAttempt {
  readonly upstream: string
  /** The code of the error that tells why. The client got it only if no other call followed. */
  readonly code: string
  /** The status of the upstream's response; null without a response. */
  readonly status: number | null
  /** Whole milliseconds from the arrival of the request to the call. */
  readonly startedMs: number
  /** Whole milliseconds from the call to its failure. */
  readonly durationMs: number
}

/**
 * The record of one request: what was asked, what was served, by whom, and what it cost. It has no words of prompts or
 * answers. The gateway writes it in the script that charges the request, and control copies it from Redis to
 * PostgreSQL.
 */
export interface Receipt extends Readonly<RequestCounts> {
  readonly kind: ReceiptKind
  /** The client got it as `x-request-id`. */
  readonly id: string
  readonly account: string
  readonly key: string
  /**
   * When it was admitted by the clock of Redis, or refused by the gateway's; seconds since the epoch. A reaped and a
   * settled receipt of one request have the same.
   */
  readonly at: number
  /** For how many equal refusals it stands, itself included; 1 for others. */
  readonly count: number
  /**
   * Of the smallest of these refusals, which the receipt describes; null if it was refused for no amount, or was not
   * refused.
   */
  readonly refused: RefusedAmounts | null
  /** The path of the route, such as `/v1/chat/completions`; empty if the gateway died, or if no route has the path. */
  readonly endpoint: string
  /**
   * The model's id, or the client's name of a model that does not exist; null if the request was refused before it was
   * read.
   */
  readonly model: string | null
  /** The client's name of the model, if it was an alias of it; otherwise null. */
  readonly askedModel: string | null
  /** The model that the answer names; null if it names the requested one, or none. */
  readonly answeredModel: string | null
  readonly isStream: boolean
  /** The upstream that was called last; null for none. */
  readonly upstream: string | null
  /** How many calls of upstreams there were. */
  readonly attempts: number
  /**
   * Those that failed, in their order. One more than these is the last call, of {@link upstream}, which has not failed.
   */
  readonly failedAttempts: readonly FailedAttempt[]
  /** The status that the client got; 499 if it left before the answer began; null if that is not known. */
  readonly status: number | null
  /** The code of the error that the client got; null for success. */
  readonly code: string | null
  readonly isEstimated: boolean
  readonly clientGone: boolean
  /** What was reserved, nanodollars. */
  readonly heldNanos: number
  /** The reserved tokens, prompt and output. */
  readonly heldTokens: number
  /** Granted output tokens; null if unknown. */
  readonly grantedTokens: number | null
  /** The service tier that was charged; null for the usual one. */
  readonly tier: string | null
  /**
   * The prices that gave the cost, as JSON: members of `ChargeRates`, without prices of kinds that the request did not
   * use. null if nothing was charged, or the whole reservation.
   */
  readonly rates: string | null
  /** Whole milliseconds from the arrival of its head to the first byte of the answer; null without an answer. */
  readonly firstByteMs: number | null
  /** Whole milliseconds from the arrival of its head to its end; null if the gateway died. */
  readonly durationMs: number | null
  /** The client's address, only with `REQUEST_LOG_ADDRESSES=true`. */
  readonly address: string | null
}
