import type { MeasuredCounter } from '@tollgate/contracts/usage/usage-counters.ts'

/** The result of an admitted request, with what it adds to the usage counters. Amounts are nanodollars. */
export interface SettledRequest extends Record<MeasuredCounter, number> {
  id: string
  key: string
  model: string
  /** When it was admitted, seconds since the epoch by the clock of Redis. */
  at: number
  /** The reservation: nanodollars, tokens, and the tokens a minute that they were taken from. */
  heldNanos: number
  heldTokens: number
  tokensPerMinute: number
  /** Milliseconds from its admission until the tokens were back that were taken up to then: `tokensRestMs` of its answer. */
  tokensRestMs: number
  failed: boolean
  /** Whether tokens and cost are estimates: the upstream reported no usage. */
  estimated: boolean
}
