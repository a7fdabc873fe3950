import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sweepTombstones } from '@tollgate/state/projection/sweep-tombstones.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/connect.ts'
import { WakeableSleep } from '../wakeable-sleep.ts'
import { storeCatalog } from './catalog.ts'
import { isKeyInForce } from './is-key-in-force.ts'
import { runPass } from './pass.ts'
import { createPostgresSource } from './postgres-source.ts'
import { type ChangeOfOne, writeDirectly } from './write-directly.ts'

/** Milliseconds between looks for tombstones in Redis that may go: a command for each shard. */
const sweepIntervalMs = 60_000

export type ProjectorOptions = {
  database: Database
  redis: RedisLink
  /** Put in force when the projector starts. */
  catalog: Catalog
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Milliseconds from the start of a pass to the start of the next. */
  intervalMs?: number
  /** Milliseconds after which a change counts as not acknowledged: before whoever waits for it is given up on. */
  acknowledgeLimitMs?: number
}

/** Keeps Redis what Postgres says: changes at once, as well as it can, and everything by a loop that compares. */
export type Projector = {
  /** Begins the loop. */
  start(): void
  /** Ends the loop. Resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /**
   * To be called after a change to an account has been committed. Never throws: what fails is left to the loop.
   *
   * @returns true once Redis has acknowledged the account's present state, or a later one
   */
  accountChanged(account: string): Promise<boolean>
  /**
   * To be called after a change to a key has been committed.
   *
   * @returns true once Redis has acknowledged the key's present state, or a later one, so that nothing is admitted on an
   * earlier one any more; false if it has not, and the loop will see to it. Never throws.
   */
  keyChanged(account: string, key: string): Promise<boolean>
  /** Whether Redis has the key's present state. It only reads; while Redis is away the answer is false. Never throws. */
  isKeyInForce(account: string, key: string): Promise<boolean>
}

export function createProjector(options: ProjectorOptions): Projector {
  const { database, redis, catalog, log, intervalMs = 1000, acknowledgeLimitMs = 10_000 } = options
  const source = createPostgresSource(database.orm)
  const stopping = new AbortController()
  let loop: Promise<void> | null = null
  let changes = 0
  const pause = new WakeableSleep()

  async function write(notice: ChangeOfOne, read: () => Promise<ProjectionWrite[]>): Promise<boolean> {
    try {
      const isThere = await endBy(acknowledgeLimitMs, writeDirectly(redis, notice, read))
      if (!isThere) pause.wake()
      return isThere
    } catch (err) {
      log.warn({ err, ...notice }, 'a change could not be projected at once')
      pause.wake()
      return false
    }
  }

  async function readIsKeyInForce(account: string, key: string): Promise<boolean> {
    try {
      const isThere = source.writesOfKey(account, key).then((writes) => isKeyInForce(redis, writes))
      return await endBy(acknowledgeLimitMs, isThere)
    } catch (err) {
      log.warn({ err, account, key }, 'it could not be read whether a change is in force')
      return false
    }
  }

  async function runLoop(): Promise<void> {
    let isCatalogStored = false
    let isFailing = false
    let sweepAt = 0
    while (!stopping.signal.aborted) {
      if (!redis.isReady()) {
        void redis.ready().then(() => pause.wake())
        await sleep(null)
        continue
      }
      const startedAt = performance.now()
      const changesBefore = changes
      let again = false
      try {
        if (!isCatalogStored) await storeCatalog(database.orm, catalog)
        isCatalogStored = true
        const result = await runPass(source, redis, stopping.signal)
        again = result.restored
        if (result.restored) {
          log.warn(
            'Redis is ahead of Postgres, which was restored, or comes from before it deleted keys: everything is projected anew'
          )
        }
        if (!result.restored && (isFailing || result.shards > 100)) {
          log.info({ ...result, ms: Math.round(performance.now() - startedAt) }, 'Redis is what Postgres says again')
        }
        isFailing = false
        if (performance.now() >= sweepAt) {
          sweepAt = performance.now() + sweepIntervalMs
          await sweepTombstones(redis, { signal: stopping.signal })
        }
      } catch (err) {
        if (!isFailing && !stopping.signal.aborted) log.warn({ err }, 'the projection is behind')
        isFailing = true
      }
      if (!again && changes === changesBefore) await sleep(Math.max(0, startedAt + intervalMs - performance.now()))
    }
  }

  /** @param ms null to sleep until woken */
  async function sleep(ms: number | null): Promise<void> {
    if (!stopping.signal.aborted) await pause.sleep(ms)
  }

  // A connection that was lost or is there again ends the wait, so that a pass with what is there begins at once.
  const onChange = () => {
    changes++
    pause.wake()
  }
  let endHearing = (): void => undefined

  return {
    start() {
      endHearing = redis.onChange(onChange)
      loop ??= runLoop()
    },
    async stop() {
      stopping.abort()
      endHearing()
      pause.wake()
      await loop
    },
    accountChanged: (account) => write({ kind: 'account', account }, () => source.writesOfAccount(account)),
    keyChanged: (account, key) => write({ kind: 'key', account, key }, () => source.writesOfKey(account, key)),
    isKeyInForce: readIsKeyInForce
  }
}

/** @throws Error after so many milliseconds; the work goes on */
async function endBy<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done within ${limitMs} ms`)), limitMs)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
