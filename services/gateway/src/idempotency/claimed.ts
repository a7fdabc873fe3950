import type { Claim } from './claim.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** What became of a request with an `Idempotency-Key`. */
export type Claimed =
  /** Run it, and end the claim. */
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  /** Another one runs it. */
  | { readonly outcome: 'running' }
  /** The API key used the `Idempotency-Key` for another request. */
  | { readonly outcome: 'other' }
  /** It was answered, but the answer is not kept, or encrypted for another secret of the API key; or nobody knows. */
  | { readonly outcome: 'lost' }
  | { readonly outcome: 'kept'; readonly answer: KeptAnswer }
