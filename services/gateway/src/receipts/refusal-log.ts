import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { addressForLog } from '@tollgate/service/log/log-lines.ts'
import { type AccountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

const flushMs = 500
/** If this many receipts wait for Redis, refusals are only counted. */
const maxUnwritten = 10_000
/** Maximum receipts per command, so that other commands wait only briefly. */
const maxTogether = 40

/** A receipt that Redis has not acknowledged. */
interface Unwritten {
  readonly shard: AccountShard
  readonly text: string
}

/**
 * Writes samples of refusals, in the background. Together, their counts are the number of refusals. While Redis does
 * not take them, they are counted on. A receipt that Redis may have taken is repeated unchanged, and control stores it
 * once.
 */
export interface RefusalLog {
  refused(request: RefusedRequest): void
  start(): void
  /** Writes what is left. Resolves when no command is under way. */
  stop(): Promise<void>
}

/**
 * @param setting null: refusals get no receipts
 * @param onError called once per outage when Redis rejects receipts, but not while Redis is unreachable or full: that
 *   is reported elsewhere
 */
export function createRefusalLog(
  redis: RedisLink,
  setting: RequestLogSetting | null,
  onError: (error: Error) => void,
  now: () => number = Date.now
): RefusalLog {
  const counts = new RefusalCounts()
  let unwritten: readonly Unwritten[] = []
  let flushing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  async function flush(isLast: boolean): Promise<void> {
    if (!redis.isReady()) return
    if (unwritten.length < maxUnwritten || isLast) {
      // A shard that does not take its receipts gets no further ones.
      const waiting = new Set(unwritten.map(({ shard }) => shard))
      const due = counts.takeDue(now(), waiting, isLast)
      unwritten = unwritten.concat(due.map((entry) => receiptOf(entry, setting!.hasAddresses)))
    }
    const left: Unwritten[] = []
    await Promise.all(
      inCommands(unwritten).map(async ({ shard, some }) => {
        try {
          const texts = some.map(({ text }) => text)
          await noteReceipts(redis, shard, texts, setting!.shardBytes)
          isFailing = false
        } catch (error) {
          left.push(...some)
          if (error instanceof RedisAwayError || isFailing) return
          isFailing = true
          onError(withoutCommand(error as Error))
        }
      })
    )
    unwritten = left
  }

  function flushOnce(isLast = false): Promise<void> {
    flushing ??= flush(isLast).finally(() => {
      flushing = null
    })
    return flushing
  }

  return {
    refused(request) {
      if (setting !== null) counts.add(request, now())
    },
    start() {
      if (setting !== null) timer ??= setInterval(() => void flushOnce(), flushMs).unref()
    },
    async stop() {
      clearInterval(timer)
      await flushing
      await flushOnce(true)
    }
  }
}

const receiptOf = (entry: RefusalCount, hasAddress: boolean): Unwritten => ({
  shard: shardOf(entry),
  text: encodeRefusal(entry, hasAddress)
})

/** Divides receipts into commands: each has receipts of one shard. */
function inCommands(receipts: readonly Unwritten[]): Array<{ shard: AccountShard; some: Unwritten[] }> {
  return [...Map.groupBy(receipts, ({ shard }) => shard)].flatMap(([shard, all]) =>
    Array.from({ length: Math.ceil(all.length / maxTogether) }, (_, number) => ({
      shard,
      some: all.slice(number * maxTogether, (number + 1) * maxTogether)
    }))
  )
}

function encodeRefusal({ count, smallest, at }: RefusalCount, hasAddress: boolean): string {
  const { id, key, endpoint, model, askedModel, status, code, amounts, durationMs, address } = smallest
  return encodeReceipt({
    kind: 'refused',
    id,
    account: key.pointer.account,
    key: key.pointer.key,
    at: Math.floor(at / 1000),
    count,
    refused: amounts,
    endpoint: endpoint ?? '',
    model: model ?? askedModel,
    askedModel: model === null || model === askedModel ? null : askedModel,
    answeredModel: null,
    isStream: false,
    upstream: null,
    attempts: 0,
    failedAttempts: [],
    status,
    code,
    isEstimated: false,
    clientGone: false,
    ...nothingCounted,
    heldNanos: 0,
    heldTokens: 0,
    grantedTokens: null,
    tier: null,
    rates: null,
    firstByteMs: durationMs,
    durationMs,
    address: hasAddress && address !== undefined ? addressForLog(address) : null
  })
}

/** How this gateway writes receipts of its requests. */
export interface RequestLogSetting {
  /** Memory in Redis for the receipts of a shard, until control copies them. The oldest are dropped above it. */
  readonly shardBytes: number
  /** Whether receipts have the addresses of clients. */
  readonly hasAddresses: boolean
}

/** The variables that decide it. */
interface Variables {
  REQUEST_LOG: 'on' | 'off'
  REQUEST_LOG_MEMORY_MB: number
  REQUEST_LOG_ADDRESSES: 'true' | 'false'
}

/** Divides the memory, because accounts are spread over shards. @returns null if there are no receipts */
export function requestLogOf({
  REQUEST_LOG: log,
  REQUEST_LOG_MEMORY_MB: memoryMb,
  REQUEST_LOG_ADDRESSES: addresses
}: Variables): RequestLogSetting | null {
  if (log === 'off') return null
  const shardBytes = Math.floor((memoryMb * 1024 * 1024) / accountShards.length)
  return { shardBytes, hasAddresses: addresses === 'true' }
}

/** Equal refusals of a key are written at most this often, ms. The first one is written with the next flush. */
const sampleMs = 10_000
/** Maximum kinds of refusals, by key and code, that are counted at a time. Further kinds get no receipts. */
const maxKinds = 10_000
/** Characters of a model's name. The request log keeps no more. */
const maxModelLength = 300

/** A request with a known key that was not admitted. */
interface RefusedRequest {
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
interface RefusalCount {
  count: number
  /** The smallest of them; the last one of equal ones. */
  smallest: RefusedRequest
  /** Unix milliseconds of the last one. */
  at: number
  /** `Date.now()` of the last receipt; 0 before the first. */
  writtenAt: number
}

/** The refusals that have no receipt yet, by their kind: the key and the code. */
class RefusalCounts {
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

const shardOf = ({ smallest }: RefusalCount): AccountShard => smallest.key.prepared.shard

const isLarger = (one: RefusedRequest, other: RefusedRequest): boolean =>
  one.amounts !== null && other.amounts !== null && one.amounts.needed > other.amounts.needed

/** A client may send megabytes as the name of a model. A copy, because a slice of a text keeps all of it in memory. */
function withShortModel(request: RefusedRequest): RefusedRequest {
  const { askedModel } = request
  if (askedModel === null || askedModel.length <= maxModelLength) return request
  return { ...request, askedModel: Buffer.from(askedModel.slice(0, maxModelLength)).toString() }
}
