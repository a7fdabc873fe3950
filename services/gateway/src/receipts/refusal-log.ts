import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { addressForLog } from '@tollgate/service/log/log-lines.ts'
import { type AccountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { type RefusalCount, RefusalCounts, type RefusedRequest, shardOf } from './refusal-counts.ts'

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
