import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

/** Equal refusals of a key are written at most this often, ms. The first one is written with the next flush. */
const sampleMs = 10_000
/** Maximum kinds of refusals, by key and code, that are counted at a time. Further kinds get no receipts. */
const maxKinds = 10_000
/** Characters of a model's name. The request log keeps no more. */
const maxModelLength = 300

/** A request with a known key that was not admitted. */
export interface RefusedRequest {
  readonly id: string
  readonly key: KnownKey
  readonly endpoint: string | null
  /** The id of the model, if the key may use it; otherwise null. */
  readonly model: string | null
  /** The model in the client's own words, of any length; null before it is known. */
  readonly askedModel: string | null
  readonly status: number
  readonly code: string
  /** The amounts for which it was refused. */
  readonly amounts: RefusedAmounts | null
  readonly durationMs: number
  readonly address: string | undefined
}

/** Equal refusals since the last receipt. */
export interface RefusalCount {
  count: number
  /** The smallest of them; the last one of equal ones. */
  smallest: RefusedRequest
  /** Unix milliseconds of the last one. */
  at: number
  /** `Date.now()` of the last receipt; 0 before the first. */
  writtenAt: number
}

/** The refusals that have no receipt yet, by their kind: the key and the code. */
export class RefusalCounts {
  readonly #kinds = new Map<string, RefusalCount>()

  /** @param now Unix milliseconds */
  add(request: RefusedRequest, now: number): void {
    const kind = `${request.key.pointer.key} ${request.code}`
    const entry = this.#kinds.get(kind)
    if (entry !== undefined) {
      if (entry.count === 0 || !isLarger(request, entry.smallest)) entry.smallest = withShortModel(request)
      entry.count++
      entry.at = now
    } else if (this.#kinds.size < maxKinds)
      this.#kinds.set(kind, { count: 1, smallest: withShortModel(request), at: now, writtenAt: 0 })
  }

  /**
   * Takes the counts whose receipts are due, and forgets kinds that have ended.
   *
   * @param now Unix milliseconds
   * @param waiting the shards whose counts stay
   * @param isLast whether all other counts are due
   */
  takeDue(now: number, waiting: ReadonlySet<AccountShard>, isLast: boolean): RefusalCount[] {
    const due: RefusalCount[] = []
    for (const [kind, entry] of this.#kinds) {
      if (!isLast && (now - entry.writtenAt < sampleMs || waiting.has(shardOf(entry)))) continue
      if (entry.count === 0) {
        this.#kinds.delete(kind)
        continue
      }
      due.push({ ...entry })
      entry.count = 0
      entry.writtenAt = now
    }
    return due
  }
}

export const shardOf = ({ smallest }: RefusalCount): AccountShard => smallest.key.prepared.shard

const isLarger = (one: RefusedRequest, other: RefusedRequest): boolean =>
  one.amounts !== null && other.amounts !== null && one.amounts.needed > other.amounts.needed

/** A client may send megabytes as the name of a model. A copy, because a slice of a text keeps all of it in memory. */
function withShortModel(request: RefusedRequest): RefusedRequest {
  const { askedModel } = request
  if (askedModel === null || askedModel.length <= maxModelLength) return request
  return { ...request, askedModel: Buffer.from(askedModel.slice(0, maxModelLength)).toString() }
}
