import type { MeasuredCounter } from '@tollgate/contracts/usage/usage-counters.ts'

/** The result of an admitted request, with what it adds to the usage counters. Amounts are nanodollars. */
export interface SettledRequest extends Record<MeasuredCounter, number> {
  id: string
  key: string
  model: string
  /** The upstream that was called last; '' if none was called. */
  upstream: string
  /** When it was admitted, seconds since the epoch by the clock of Redis. */
  at: number
  /** The reservation: nanodollars, tokens, and the account's tokens a minute at that time. */
  heldNanos: number
  heldTokens: number
  tokensPerMinute: number
  /** `tokensRestMs` of its admission: milliseconds until the full burst of tokens is available again. */
  tokensRestMs: number
  failed: boolean
  /** Whether tokens and cost are estimates: the upstream reported no usage. */
  estimated: boolean
  /** Its receipt as text; absent if requests are not logged. */
  receipt?: string | null
}
