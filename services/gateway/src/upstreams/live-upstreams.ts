import { hash } from 'node:crypto'
import { CallsInFlight } from '../http/draining.ts'
import { Offers } from './offers.ts'
import {
  type Learned,
  noEvents,
  openUpstream,
  type Upstream,
  type UpstreamEvents,
  type Upstreams
} from './upstreams.ts'
import type { ReadUpstreams, UpstreamSettings } from './upstreams-file.ts'

/** The upstreams of one version of the file. A request uses one set from its admission to its end. */
export interface UpstreamSet {
  readonly byName: Upstreams
  /** The names of optional upstreams that are not set up. */
  readonly leftOut: ReadonlySet<string>
  /** The requests that use this set. */
  readonly requests: CallsInFlight
  /** The APIs with which it offers models. */
  readonly offers: Offers
}

/** What a reload changed: names of upstreams. */
export interface UpstreamChanges {
  readonly added: string[]
  readonly changed: string[]
  readonly removed: string[]
}

/**
 * The upstreams in force, which can be replaced while requests are under way. An upstream whose settings did not change
 * keeps its pool, breaker, pauses and retry budget. The pool of another one closes after the last request that may call
 * it.
 */
export class LiveUpstreams {
  /** For new requests. Reading it is all that a request pays for reloads. */
  current: UpstreamSet
  readonly #read: () => ReadUpstreams
  readonly #events: UpstreamEvents
  readonly #onError: (error: unknown) => void
  /** The set in force, and earlier ones with requests. */
  readonly #used = new Set<UpstreamSet>()
  /** Replaced upstreams whose last calls have not ended. */
  readonly #closing = new Set<Upstream>()
  /** Digests of the settings in force. They contain secrets, so they are not kept themselves. */
  #digests: ReadonlyMap<string, string>

  /**
   * @param read reads the settings. It throws if they are not valid
   * @param onError called if a pool cannot be closed
   * @throws the error of `read`
   */
  constructor(
    read: () => ReadUpstreams,
    events: UpstreamEvents = noEvents,
    onError: (error: unknown) => void = () => {}
  ) {
    this.#read = read
    this.#events = events
    this.#onError = onError
    const { settings, leftOut } = read()
    this.#digests = digestsOf(settings)
    this.current = this.#use(new Map(settings.map((one) => [one.name, openUpstream(one, events)])), leftOut)
  }

  /** Reads the settings again. @throws the error of `read`; then nothing changes */
  reload(): UpstreamChanges {
    const { settings, leftOut } = this.#read()
    const digests = digestsOf(settings)
    const before = this.current
    const names = [...digests.keys()]
    const isSame = (name: string) => digests.get(name) === this.#digests.get(name)
    const changes = {
      added: names.filter((name) => !this.#digests.has(name)),
      changed: names.filter((name) => this.#digests.has(name) && !isSame(name)),
      removed: [...this.#digests.keys()].filter((name) => !digests.has(name))
    }
    const isSameSet = Object.values(changes).every((some) => some.length === 0)
    if (isSameSet && leftOut.join() === [...before.leftOut].join()) return changes
    this.current = this.#use(
      new Map(
        settings.map((one) => [
          one.name,
          isSame(one.name) ? before.byName.get(one.name)! : openUpstream(one, this.#events)
        ])
      ),
      leftOut
    )
    this.#digests = digests
    void before.requests.whenNone().then(() => this.#retire(before))
    return changes
  }

  /** Takes over what another process knows of an upstream in force. */
  follow(learned: Learned): void {
    const upstream = this.current.byName.get(learned.upstream)
    const now = performance.now()
    if (learned.kind === 'breaker') upstream?.breaker.follow(learned.state, now)
    else upstream?.pauses.follow(learned.model, learned.ms, now)
  }

  /** Resolves when the calls in flight have ended. New calls fail. */
  async close(): Promise<void> {
    await Promise.all(this.#all().map(({ pool }) => pool.close()))
  }

  /** Ends all calls at once. */
  destroy(): void {
    for (const { pool } of this.#all()) pool.destroy().catch(this.#onError)
  }

  #use(byName: Upstreams, names: readonly string[]): UpstreamSet {
    const leftOut = new Set(names)
    const set = { byName, leftOut, requests: new CallsInFlight(), offers: new Offers(byName, leftOut) }
    this.#used.add(set)
    return set
  }

  /** Closes the pools that no other set has. */
  #retire(set: UpstreamSet): void {
    this.#used.delete(set)
    const inUse = new Set(this.#all())
    for (const upstream of set.byName.values()) if (!inUse.has(upstream)) void this.#closePool(upstream)
  }

  async #closePool(upstream: Upstream): Promise<void> {
    this.#closing.add(upstream)
    try {
      await upstream.pool.close()
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#closing.delete(upstream)
    }
  }

  #all(): Upstream[] {
    return [...new Set([...this.#closing, ...[...this.#used].flatMap(({ byName }) => [...byName.values()])])]
  }
}

const digestsOf = (settings: readonly UpstreamSettings[]): Map<string, string> =>
  new Map(settings.map((one) => [one.name, hash('sha256', JSON.stringify(one))]))
