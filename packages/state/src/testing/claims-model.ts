import type { ClaimAnswer, Kept, KeptBudget } from '../idempotency/idempotency.ts'

/** What a claim is: see idempotency/claim.lua. */
type Entry = { readonly fingerprint: string; endsAt: number } & (
  | { readonly state: 'r'; readonly token: string; readonly waitsUntil: number }
  | { readonly state: 'k'; readonly answer: string }
  | { readonly state: 'l' }
)
/** A place in a list of an account. */
interface Place {
  readonly kind: 'answers' | 'marks'
  readonly name: string
  readonly bytes: number
  readonly endsAt: number
}

/** What counts for an entry besides its answer. */
const entryBytes = 640

/** The claims of one shard as plain data, without limits of time and steps. Times are milliseconds. */
export class ClaimsModel {
  readonly #entries = new Map<string, Entry>()
  readonly #places = new Map<string, Place[]>()
  /** Accounts by the time of their last answer. */
  readonly #lastAt = new Map<string, number>()
  readonly #budget: KeptBudget
  readonly #keptMs: number
  #evicted = 0

  constructor(budget: KeptBudget, keptMs: number) {
    this.#budget = budget
    this.#keptMs = keptMs
  }

  /** @returns the names of claims that have just ended */
  pass(now: number): string[] {
    const ended = [...this.#entries].filter(([, { endsAt }]) => endsAt <= now).map(([name]) => name)
    for (const name of ended) this.#entries.delete(name)
    return ended
  }

  claim(
    name: string,
    fingerprint: string,
    token: string,
    now: number,
    { waitMs, rememberedMs }: { waitMs: number; rememberedMs: number }
  ): ClaimAnswer {
    const entry = this.#entries.get(name)
    if (entry !== undefined) {
      if (entry.fingerprint !== fingerprint) return { outcome: 'other' }
      if (entry.state === 'k') return { outcome: 'kept', answer: Buffer.from(entry.answer) }
      if (entry.state === 'l') return { outcome: 'lost' }
      if (entry.token !== token) return { outcome: entry.waitsUntil > now ? 'running' : 'lost' }
    }
    this.#entries.set(name, { state: 'r', fingerprint, token, waitsUntil: now + waitMs, endsAt: now + rememberedMs })
    return { outcome: 'claimed' }
  }

  drop(name: string, fingerprint: string, token: string): void {
    if (this.#holds(name, fingerprint, token)) this.#entries.delete(name)
  }

  keep(account: string, name: string, fingerprint: string, token: string, answer: string | null, now: number): Kept {
    if (this.#entries.has(name) && !this.#holds(name, fingerprint, token)) return { outcome: 'other', evicted: 0 }
    this.#evicted = 0
    for (const [one, at] of this.#lastAt) if (at + this.#keptMs <= now) this.#forget(one)
    for (const kind of ['answers', 'marks'] as const) {
      const first = () => this.#first(account, kind)
      while ((first()?.endsAt ?? now + 1) <= now) this.#dropFirst(account, kind, now)
    }
    const endsAt = now + this.#keptMs
    const whole = entryBytes + Math.ceil((answer?.length ?? 0) * 1.25)
    if (answer !== null && this.#makeRoom(account, whole, now)) {
      this.#add(account, { kind: 'answers', name, bytes: whole, endsAt }, now)
      this.#entries.set(name, { state: 'k', fingerprint, answer, endsAt })
      return { outcome: 'kept', evicted: this.#evicted }
    }
    if (this.#makeRoom(account, entryBytes, now)) {
      this.#add(account, { kind: 'marks', name, bytes: entryBytes, endsAt }, now)
      this.#entries.set(name, { state: 'l', fingerprint, endsAt })
      return { outcome: 'lost', evicted: this.#evicted }
    }
    this.#entries.delete(name)
    return { outcome: 'none', evicted: this.#evicted }
  }

  bytesOf(account: string): number {
    return (this.#places.get(account) ?? []).reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get #allBytes(): number {
    return [...this.#places.keys()].reduce((sum, account) => sum + this.bytesOf(account), 0)
  }

  #holds(name: string, fingerprint: string, token: string): boolean {
    const entry = this.#entries.get(name)
    return entry?.state === 'r' && entry.fingerprint === fingerprint && entry.token === token
  }

  #add(account: string, place: Place, now: number): void {
    this.#places.set(account, [...(this.#places.get(account) ?? []), place])
    this.#lastAt.set(account, now)
  }

  #forget(account: string): void {
    this.#places.delete(account)
    this.#lastAt.delete(account)
  }

  #makeRoom(account: string, bytes: number, now: number): boolean {
    const { shardBytes, accountBytes } = this.#budget
    if (bytes > accountBytes || bytes > shardBytes) return false
    while (this.bytesOf(account) + bytes > accountBytes) this.#dropOldest(account, now)
    while (this.#allBytes + bytes > shardBytes) this.#dropOldest(this.#oldestAccount(), now)
    return true
  }

  /** Redis orders equal times by name. */
  #oldestAccount(): string {
    return [...this.#lastAt].sort(([a, at], [b, other]) => at - other || (a < b ? -1 : 1))[0]![0]
  }

  #first(account: string, kind: Place['kind']): Place | undefined {
    return this.#places.get(account)?.find((place) => place.kind === kind)
  }

  #dropOldest(account: string, now: number): void {
    const marks = (this.#places.get(account) ?? []).filter(({ kind }) => kind === 'marks')
    const hasRoomForMarks = (marks.length + 1) * entryBytes <= this.#budget.accountBytes / 8
    const isDropped =
      (hasRoomForMarks && this.#dropFirst(account, 'answers', now)) ||
      this.#dropFirst(account, 'marks', now) ||
      this.#dropFirst(account, 'answers', now)
    if (!isDropped) this.#forget(account)
  }

  #dropFirst(account: string, kind: Place['kind'], now: number): boolean {
    const place = this.#first(account, kind)
    if (place === undefined) return false
    const others = this.#places.get(account)!.filter((one) => one !== place)
    this.#places.set(account, others)
    if (place.endsAt <= now) return true
    if (kind === 'marks') this.#entries.delete(place.name)
    else {
      const { fingerprint } = this.#entries.get(place.name)!
      this.#entries.set(place.name, { state: 'l', fingerprint, endsAt: place.endsAt })
      others.push({ ...place, kind: 'marks', bytes: entryBytes })
      this.#evicted++
    }
    return true
  }
}
