import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { addressForLog } from '@tollgate/service/log/request-line.ts'
import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { RequestLogSetting } from './request-log-setting.ts'

/** Equal refusals of a key are written at most this often, ms. The first one is written with the next flush. */
const sampleMs = 10_000
const flushMs = 500
/** Maximum kinds of refusals, by key and code, that are counted at a time. Further kinds get no receipts. */
const maxCounted = 10_000
/** Characters of a model's name. The request log keeps no more. */
const maxModelLength = 300
/** Maximum receipts per command, so that other commands wait only briefly. */
const maxTogether = 40

/** A request with a known key that was not admitted. */
export interface RefusedRequest {
  readonly id: string
  readonly known: KnownKey
  readonly endpoint: string | null
  /** The id of the model, if the key may use it; otherwise null. */
  readonly model: string | null
  /** The model in the client's own words, of any length; null before it is known. */
  readonly askedModel: string | null
  readonly status: number
  readonly code: string
  readonly durationMs: number
  readonly address: string | undefined
}

/** Equal refusals since the last receipt. */
interface Counted {
  count: number
  last: RefusedRequest
  /** `Date.now()` of the last receipt; 0 before the first. */
  writtenAt: number
}

/** Writes samples of refusals, in the background. They are lost if Redis does not take them. */
export interface RefusalLog {
  refused(request: RefusedRequest): void
  start(): void
  /** Writes what is left. Resolves when no command is under way. */
  stop(): Promise<void>
}

/**
 * @param setting null: refusals get no receipts
 * @param onError called once per outage when Redis rejects receipts, but not while Redis is unreachable or full: that is reported
 *   elsewhere
 */
export function createRefusalLog(
  redis: RedisLink,
  setting: RequestLogSetting | null,
  onError: (error: Error) => void,
  now: () => number = Date.now
): RefusalLog {
  const counted = new Map<string, Counted>()
  let flushing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  /** Takes the receipts that are due, by shard, and forgets kinds that have ended. */
  function takeDue(at: number, isLast: boolean): Map<AccountShard, string[]> {
    const due = new Map<AccountShard, string[]>()
    for (const [kind, entry] of counted) {
      if (!isLast && at - entry.writtenAt < sampleMs) continue
      if (entry.count === 0) {
        counted.delete(kind)
        continue
      }
      const { shard } = entry.last.known.prepared
      const texts = due.get(shard) ?? []
      if (texts.length === 0) due.set(shard, texts)
      texts.push(encodeRefusal(entry, at, setting!.hasAddresses))
      entry.count = 0
      entry.writtenAt = at
    }
    return due
  }

  async function flush(isLast: boolean): Promise<void> {
    if (counted.size === 0) return
    const due = takeDue(now(), isLast)
    if (!redis.isReady()) return
    const commands = [...due].flatMap(([shard, texts]) =>
      Array.from({ length: Math.ceil(texts.length / maxTogether) }, (_, number) =>
        noteReceipts(redis, shard, texts.slice(number * maxTogether, (number + 1) * maxTogether), setting!.shardBytes)
      )
    )
    for (const result of await Promise.allSettled(commands)) {
      if (result.status === 'fulfilled') isFailing = false
      else if (!(result.reason instanceof RedisAwayError) && !isFailing) {
        isFailing = true
        onError(withoutCommand(result.reason as Error))
      }
    }
  }

  function flushOnce(isLast = false): Promise<void> {
    flushing ??= flush(isLast).finally(() => {
      flushing = null
    })
    return flushing
  }

  return {
    refused(request) {
      if (setting === null) return
      const kind = `${request.known.pointer.key} ${request.code}`
      const entry = counted.get(kind)
      if (entry !== undefined) {
        entry.count++
        entry.last = withShortModel(request)
      } else if (counted.size < maxCounted) counted.set(kind, { count: 1, last: withShortModel(request), writtenAt: 0 })
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

/** A client may send megabytes as the name of a model. A copy, because a slice of a text keeps all of it in memory. */
function withShortModel(request: RefusedRequest): RefusedRequest {
  const { askedModel } = request
  if (askedModel === null || askedModel.length <= maxModelLength) return request
  return { ...request, askedModel: Buffer.from(askedModel.slice(0, maxModelLength)).toString() }
}

function encodeRefusal({ count, last }: Counted, at: number, hasAddress: boolean): string {
  const { id, known, endpoint, askedModel, status, code, durationMs, address } = last
  return encodeReceipt({
    kind: 'refused',
    id,
    account: known.pointer.account,
    key: known.pointer.key,
    at: Math.floor(at / 1000),
    count,
    endpoint: endpoint ?? '',
    model: last.model ?? askedModel,
    askedModel: last.model === null || last.model === askedModel ? null : askedModel,
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
