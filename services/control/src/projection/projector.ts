import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { ChangeNotice } from '@tollgate/state/projection/changes.ts'
import { readKeyPresence } from '@tollgate/state/projection/read-keys.ts'
import { sweepTombstones } from '@tollgate/state/projection/sweep-tombstones.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import type { FastifyBaseLogger } from 'fastify'
import { withTimeout } from '../background/with-timeout.ts'
import type { Database } from '../database/connect.ts'
import type { KeptEndings } from './keep-endings.ts'
import { createPostgresSource } from './postgres-source.ts'
import { projectCatalogNow } from './project-catalog.ts'
import { type PassResult, runPass } from './projection-pass.ts'
import { type ChangeOfOne, writeDirectly } from './write-directly.ts'

/** Ids in a log line: enough to look at, and far below the limits of log collectors. */
const maxLogged = 100

/** Milliseconds between sweeps of expired tombstones in Redis; a sweep sends a command for each shard. */
const sweepIntervalMs = 60_000

export interface ProjectorOptions {
  database: Database
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Milliseconds from the start of a pass to the start of the next. */
  intervalMs?: number
  /** Milliseconds after which a change counts as not acknowledged; shorter than the timeout of a request. */
  acknowledgeTimeoutMs?: number
  /** Called once Redis has a revocation, with the milliseconds since its commit. */
  onRevoked?: (ms: number) => void
}

/**
 * Copies PostgreSQL's state to Redis: each change directly if possible, and everything else by a loop that compares.
 */
export interface Projector {
  readonly progress: LoopProgress
  /** Starts the loop. */
  start(): void
  /** Stops the loop. Resolves when the last pass has ended. */
  stop(): Promise<void>
  /**
   * Writes a committed change of an account to Redis. Never throws: after a failure the loop writes it.
   *
   * @returns true once Redis has acknowledged the account's current state, or a later one
   */
  accountChanged(account: string): Promise<boolean>
  /**
   * Writes a committed change of a key to Redis. Never throws: after a failure the loop writes it.
   *
   * @returns true once Redis has acknowledged the key's current state, or a later one: no request is admitted on an
   *   earlier state any more
   */
  keyChanged(account: string, key: string): Promise<boolean>
  /** As {@link keyChanged}, for a key that is now revoked. Its latency is measured, until Redis has the revocation. */
  keyRevoked(account: string, key: string): Promise<boolean>
  /**
   * Writes a published catalog to Redis. Never throws: after a failure the loop writes it.
   *
   * @returns true once Redis has the catalog in force
   */
  catalogChanged(): Promise<boolean>
  /** Whether Redis has the key's current state. It only reads; false while Redis is unavailable. Never throws. */
  isKeyInForce(account: string, key: string): Promise<boolean>
}

export function createProjector(options: ProjectorOptions): Projector {
  const { database, redis, log, intervalMs = 1000, acknowledgeTimeoutMs = 10_000, onRevoked } = options
  const source = createPostgresSource(database.orm)
  const revocations = new PendingRevocations((ms) => onRevoked?.(ms))
  let sweepAt = 0
  const loop = createBackgroundLoop({
    round,
    intervalMs,
    readiness: redis,
    log,
    messages: { failing: 'Redis could not be updated' }
  })

  async function write(notice: ChangeNotice, writing: () => Promise<boolean>): Promise<boolean> {
    try {
      const isThere = await withTimeout(acknowledgeTimeoutMs, writing())
      if (!isThere) loop.wake()
      return isThere
    } catch (err) {
      log.warn({ err, ...notice }, 'a change could not be written to Redis at once; the loop writes it')
      loop.wake()
      return false
    }
  }

  const writeOne = (notice: ChangeOfOne, read: () => Promise<ProjectionWrite[]>) =>
    write(notice, () => writeDirectly(redis, notice, read))

  const keyChanged = (account: string, key: string) =>
    writeOne({ kind: 'key', account, key }, () => source.writesOfKey(account, key))

  async function readIsKeyInForce(account: string, key: string): Promise<boolean> {
    try {
      const isThere = source.writesOfKey(account, key).then((writes) => isKeyInForce(redis, writes))
      return await withTimeout(acknowledgeTimeoutMs, isThere)
    } catch (err) {
      log.warn({ err, account, key }, 'cannot read whether a change is in force')
      return false
    }
  }

  /** One pass. @returns `'again'` if another pass must follow at once */
  async function round(signal: AbortSignal, isFailing: boolean): Promise<'again' | null> {
    const startedAt = performance.now()
    const result = await runPass(source, redis, signal)
    if (!result.restored) revocations.acknowledgedUntil(startedAt)
    logPass(result, { isFailing, ms: Math.round(performance.now() - startedAt) }, log)
    if (performance.now() >= sweepAt) {
      sweepAt = performance.now() + sweepIntervalMs
      await sweepTombstones(redis, { signal })
    }
    return result.restored ? 'again' : null
  }

  let unsubscribe = (): void => undefined

  return {
    progress: loop.progress,
    start() {
      // When a connection is lost or returns, a pass starts at once.
      unsubscribe = redis.onChange(loop.wake)
      loop.start()
    },
    async stop() {
      unsubscribe()
      await loop.stop()
    },
    accountChanged: (account) => writeOne({ kind: 'account', account }, () => source.writesOfAccount(account)),
    keyChanged,
    async keyRevoked(account, key) {
      revocations.committed(key)
      const isThere = await keyChanged(account, key)
      if (isThere) revocations.acknowledged(key)
      return isThere
    },
    catalogChanged: () => write({ kind: 'catalog' }, () => projectCatalogNow(source, redis)),
    isKeyInForce: readIsKeyInForce
  }
}

/** Logs a pass after a restore or an outage, or of many changes. */
function logPass(
  result: PassResult,
  { isFailing, ms }: { isFailing: boolean; ms: number },
  log: ProjectorOptions['log']
): void {
  if (result.restored) {
    logKeptEndings(result.kept, log)
    log.warn('PostgreSQL or Redis was restored to an earlier state; everything is written to Redis again')
  } else if (isFailing || result.shards > 100) {
    log.info({ ...result, ms }, 'Redis is up to date again')
  }
}

/** Logs which keys were revoked or rotated again after a restore, if any. */
function logKeptEndings({ revoked, rotated }: KeptEndings, log: Pick<FastifyBaseLogger, 'warn'>): void {
  if (revoked.length + rotated.length === 0) return
  log.warn(
    {
      revokedKeys: revoked.length,
      rotatedKeys: rotated.length,
      keys: [...revoked, ...rotated].slice(0, maxLogged)
    },
    'PostgreSQL was restored to a state before these keys were revoked or rotated. They are revoked or rotated again, because Redis knows of it'
  )
}

/** Further revocations are not measured while so many wait. */
const maxPending = 10_000

/** Measures how long revocations take: from the commit in PostgreSQL until Redis has them. */
export class PendingRevocations {
  readonly #committedAt = new Map<string, number>()
  readonly #onAcknowledged: (ms: number) => void
  readonly #now: () => number

  /** @param now monotonic clock, milliseconds */
  constructor(onAcknowledged: (ms: number) => void, now: () => number = () => performance.now()) {
    this.#onAcknowledged = onAcknowledged
    this.#now = now
  }

  /** Call it right after the commit. A repeated call for a key that still waits changes nothing. */
  committed(key: string): void {
    if (this.#committedAt.has(key) || this.#committedAt.size === maxPending) return
    this.#committedAt.set(key, this.#now())
  }

  acknowledged(key: string): void {
    const committedAt = this.#committedAt.get(key)
    if (committedAt === undefined) return
    this.#committedAt.delete(key)
    this.#onAcknowledged(this.#now() - committedAt)
  }

  /** Redis has all that was committed before this time, of the same clock. */
  acknowledgedUntil(time: number): void {
    for (const [key, committedAt] of this.#committedAt) if (committedAt <= time) this.acknowledged(key)
  }
}

/**
 * Whether Redis has the current state of a key, so that no request is admitted on an earlier one. It only reads.
 *
 * @param writes the key's state in PostgreSQL, from `ProjectionSource.writesOfKey`
 * @returns false also if Redis has a later version: the key was changed meanwhile, or PostgreSQL was restored
 * @throws RedisAwayError, or the error of Redis
 */
export async function isKeyInForce(redis: RedisLink, writes: readonly ProjectionWrite[]): Promise<boolean> {
  const wanted = writes.find((write) => write.kind === 'key')
  if (wanted === undefined) return false
  const { account, key, record, version } = wanted
  const presence = await readKeyPresence(redis, account, key, record.digest)
  // A revoked key may also be missing in Redis: then it is unknown, and refused as well.
  if (record.status === 'revoked') return presence.version === null || presence.version === version
  return presence.version === version && presence.hasPointer
}
