import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { Admitted } from '../admission/admit-request.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { Countable } from '../usage/estimate-usage.ts'
import type { Usage } from '../usage/usage.ts'

/** An admitted call of a model. */
export type Call = {
  readonly id: string
  readonly known: KnownKey
  /** `performance.now()` when its head had arrived. */
  readonly startedAt: number
  /** As the client named it. */
  readonly model: string
  /** As they were when it was admitted. */
  readonly prices: Model['prices']
  readonly admitted: Admitted
  readonly isStream: boolean
}

/** The status in the log for a client that left before it was told anything (nginx has the same). */
export const clientClosedRequest = 499

/** How a request to a model ended. */
export type Outcome = {
  /** The upstream that was called last; null if none was. */
  upstream: string | null
  attempts: number
  /** What the client was told. If it left before it was told anything, 499. */
  status: number
  /** Of the failure that it was told, also within a stream; null for success. */
  code: string | null
  /**
   * What the upstream used: as it said; or what there is to count, if it served something and did not say; or null, if it
   * served nothing.
   */
  used: Usage | Countable | null
  /** When the answer's head left, on the clock of `performance.now`; null if none did. */
  firstByteAt: number | null
  clientGone: boolean
}
