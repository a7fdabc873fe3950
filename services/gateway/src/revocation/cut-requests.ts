import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { judgeKey, judgeSuspension, type KeyRefusal } from '@tollgate/contracts/keys/judge-key.ts'
import { createBackgroundLoop, type LoopLog } from '@tollgate/service/background/background-loop.ts'
import { findOutdated, type JudgedKey } from '@tollgate/state/admission/find-outdated.ts'
import { changesChannel } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { changedAccount } from '@tollgate/state/projection/changes.ts'
import { refreshRecords, refusalError } from '../admission/confirm-key.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { Deadlines, OpenRequest } from '../relay/deadlines.ts'

/**
 * How often all open requests are checked, ms. A cut that was not announced waits no longer than this, and {@link
 * freshMs}.
 */
const checkEveryMs = 2000
/** Admission has just checked the key of a younger request. Most requests end before this, and cost no check. */
const freshMs = 1000
/** Notices of this time share one search through the open requests, ms. */
const gatherMs = 50
/** Maximum keys per script, so that other commands in Redis wait only briefly. */
const maxKeys = 100

/** Ends open requests of revoked keys and suspended accounts. */
export interface RequestCuts {
  start(): void
  stop(): Promise<void>
}

/**
 * Checks the keys of open requests in Redis: of an account, when control announces a change of it; and of all accounts
 * at regular intervals, because an announcement may be lost.
 *
 * Requests pay nothing for this: their deadlines already list them.
 */
export function createRequestCuts(redis: RedisLink, requests: Pick<Deadlines, 'open'>, log: LoopLog): RequestCuts {
  let changed = new Set<string>()
  let allDueAt = 0
  let unsubscribe = (): void => undefined
  const loop = createBackgroundLoop({
    round,
    intervalMs: checkEveryMs,
    readiness: redis,
    log,
    messages: { failing: 'cannot check the keys of open requests' }
  })

  async function round(): Promise<void> {
    if (changed.size > 0) await loop.pause(gatherMs)
    const accounts = changed
    changed = new Set()
    const now = performance.now()
    const isAllDue = now >= allDueAt
    const due = new Set<KnownKey>()
    for (const { key, beganAt } of requests.open()) {
      if (key === null) continue
      if (accounts.has(key.pointer.account) || (isAllDue && beganAt <= now - freshMs)) due.add(key)
    }
    const failure = await refreshOutdated(redis, [...due])
    cutRequests(requests, due)
    if (failure !== null) {
      // The failed check may have been that of an announced change.
      allDueAt = 0
      throw failure
    }
    // Half, because a round for notices restarts the interval.
    if (isAllDue) allDueAt = now + checkEveryMs / 2
  }

  return {
    start() {
      unsubscribe = redis.subscribe(
        changesChannel,
        (text) => {
          const account = changedAccount(text)
          if (account === null) return
          changed.add(account)
          loop.wake()
        },
        // The catalog's subscription to the same channel reports the failure. The interval replaces lost notices.
        () => undefined
      )
      loop.start()
    },
    async stop() {
      unsubscribe()
      await loop.stop()
    }
  }
}

/**
 * Reads the current records of all keys whose records have changed.
 *
 * @returns the first error; keys without one have current records
 */
async function refreshOutdated(redis: RedisLink, all: readonly KnownKey[]): Promise<unknown> {
  let failure: unknown = null
  const note = (error: unknown): void => {
    failure ??= error
  }
  for (let at = 0; at < all.length; at += maxKeys) {
    const some = all.slice(at, at + maxKeys).map(judgedKeyOf)
    const { outdated, error } = await findOutdated(redis, some)
    note(error)
    await Promise.all(outdated.map(({ entry }) => refreshRecords(redis, entry).catch(note)))
  }
  return failure
}

function judgedKeyOf(entry: KnownKey): JudgedKey & { entry: KnownKey } {
  const { account, key } = entry.pointer
  const judged = { key: entry.keyRecord?.version ?? '', account: entry.accountRecord?.version ?? '' }
  return { account, key, judged, entry }
}

function cutRequests(requests: Pick<Deadlines, 'open'>, keys: ReadonlySet<KnownKey>): void {
  const failures = new Map<KnownKey, ServiceError>()
  for (const key of keys) {
    const failure = cutOf(key)
    if (failure !== null) failures.set(key, failure)
  }
  if (failures.size === 0) return
  const cut: Array<[OpenRequest, ServiceError]> = []
  for (const request of requests.open()) {
    const failure = request.key === null ? undefined : failures.get(request.key)
    if (failure !== undefined) cut.push([request, failure])
  }
  for (const [request, failure] of cut) request.cut(failure)
}

/**
 * Decides whether the open requests of a key end now: its account is suspended, or its secret was revoked or replaced
 * by somebody who asked for this.
 *
 * @returns the failure for their clients; null if they go on
 */
export function cutOf({
  keyRecord,
  accountRecord,
  digest
}: Pick<KnownKey, 'keyRecord' | 'accountRecord' | 'digest'>): ServiceError | null {
  const refusal = (accountRecord && judgeSuspension(accountRecord.record)) ?? cutOfKey(keyRecord, digest)
  return refusal === null ? null : refusalError(refusal)
}

function cutOfKey(keyRecord: KnownKey['keyRecord'], digest: string): KeyRefusal | null {
  if (keyRecord?.record.cutStreams !== true) return null
  const verdict = judgeKey({ key: keyRecord.record, account: null }, digest, null)
  return !verdict.allowed && verdict.code === 'revoked_api_key' ? verdict : null
}
