import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { type RareCounts, rareCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { type FailedAttempt, type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'

/**
 * The text form of a receipt in Redis: one line, a JSON array with the members in a fixed order. Later releases add
 * members at its end only: older ones ignore them, and a missing member has its default. `reaped.lua` writes the same
 * form.
 */

/** Writes a receipt. Gateways call it for every request. */
export function encodeReceipt(receipt: Receipt): string {
  const { kind, id, account, key, at, count, endpoint, model, answeredModel, isStream, upstream } = receipt
  const { attempts, status, code, isEstimated, clientGone, costNanos, promptTokens, cachedTokens } = receipt
  const { completionTokens, reasoningTokens, heldNanos, heldTokens, grantedTokens, tier, rates } = receipt
  const { firstByteMs, durationMs, address, rare, failedAttempts, askedModel, refused } = receipt
  return (
    `[${receiptKinds.indexOf(kind)},${quote(id)},${quote(account)},${quote(key)},${at},${count},${quote(endpoint)},` +
    `${quoteOr(model)},${quoteOr(answeredModel)},${isStream ? 1 : 0},${quoteOr(upstream)},${attempts},${status},` +
    `${quoteOr(code)},${isEstimated ? 1 : 0},${clientGone ? 1 : 0},${costNanos},${promptTokens},${cachedTokens},` +
    `${completionTokens},${reasoningTokens},${heldNanos},${heldTokens},${grantedTokens},${quoteOr(tier)},${rates},` +
    `${firstByteMs},${durationMs},${quoteOr(address)}${rare === null ? ',[]' : rareText(rare)}` +
    (failedAttempts.length === 0 && askedModel === null && refused === null
      ? ']'
      : endText(failedAttempts, askedModel, refused))
  )
}

const quote = (text: string): string => JSON.stringify(text)
const quoteOr = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text))
const rareText = (counts: RareCounts): string => `,[${rareCounters.map((counter) => counts[counter] ?? 0).join(',')}]`

const attemptText = ({ upstream, code, status, startedMs, durationMs }: FailedAttempt): string =>
  `[${quote(upstream)},${quote(code)},${status},${startedMs},${durationMs}]`

function endText(failed: readonly FailedAttempt[], tier: string | null, refused: RefusedAmounts | null): string {
  const before = `,null,[${failed.map(attemptText).join(',')}],${quoteOr(tier)}`
  if (refused === null) return `${before}]`
  const { unit, needed, left, limit } = refused
  return `${before},[${unit === 'nanos' ? 0 : 1},${needed},${left},${limit}]]`
}

/**
 * Reads a receipt.
 *
 * @throws Error if the text is not a receipt
 */
export function decodeReceipt(text: string): Receipt {
  const members = new Members(JSON.parse(text))
  const kind = receiptKinds[members.whole()]
  if (kind === undefined) throw new Error('a receipt of an unknown kind')
  const beginning = {
    kind,
    id: members.text(),
    account: members.text(),
    key: members.text(),
    at: members.whole(),
    count: members.whole(),
    endpoint: members.text(),
    model: members.textOr(),
    answeredModel: members.textOr(),
    isStream: members.flag(),
    upstream: members.textOr(),
    attempts: members.whole(),
    status: members.wholeOr(),
    code: members.textOr(),
    isEstimated: members.flag(),
    clientGone: members.flag(),
    costNanos: members.whole(),
    promptTokens: members.whole(),
    cachedTokens: members.whole(),
    completionTokens: members.whole(),
    reasoningTokens: members.whole(),
    heldNanos: members.whole(),
    heldTokens: members.whole(),
    grantedTokens: members.wholeOr(),
    tier: members.textOr(),
    rates: members.json(),
    firstByteMs: members.wholeOr(),
    durationMs: members.wholeOr(),
    address: members.textOr()
  }
  const rare = members.wholes()
  // Earlier gateways wrote the upstream of the first call here, if the last one was of another.
  members.textOr()
  const failedAttempts = members.lists().map(readAttempt)
  const askedModel = members.textOr()
  const refused = readRefused(members.wholes())
  return { ...beginning, rare: readRare(rare), failedAttempts, askedModel, refused }
}

/** Empty without rare counts. Those that later releases added may be missing. */
const readRare = (counts: readonly number[]): RareCounts | null =>
  rareCounts(Object.fromEntries(rareCounters.map((counter, index) => [counter, counts[index] ?? 0])))

/** Empty without amounts. */
function readRefused([unit, needed, left, limit]: readonly number[]): RefusedAmounts | null {
  if (needed === undefined || left === undefined || limit === undefined) return null
  return { unit: unit === 0 ? 'nanos' : 'tokens', needed, left, limit }
}

const readAttempt = (members: Members): FailedAttempt => ({
  upstream: members.text(),
  code: members.text(),
  status: members.wholeOr(),
  startedMs: members.whole(),
  durationMs: members.whole()
})

/** Reads the members of an array, one after the other. */
class Members {
  readonly #members: readonly unknown[]
  #next = 0

  constructor(members: unknown) {
    if (!Array.isArray(members)) throw new Error('not an array')
    this.#members = members
  }

  text(): string {
    const member = this.#members[this.#next]
    return typeof member === 'string' ? this.#taken(member) : this.#fail()
  }

  textOr(): string | null {
    return this.#members[this.#next] == null ? this.#taken(null) : this.text()
  }

  whole(): number {
    const member = this.#members[this.#next]
    return isWhole(member) ? this.#taken(member) : this.#fail()
  }

  wholeOr(): number | null {
    return this.#members[this.#next] == null ? this.#taken(null) : this.whole()
  }

  flag(): boolean {
    const member = this.#members[this.#next]
    return member === 0 || member === 1 ? this.#taken(member === 1) : this.#fail()
  }

  /** An object, as text. */
  json(): string | null {
    const member = this.#members[this.#next] ?? null
    if (member === null) return this.#taken(null)
    return typeof member === 'object' && !Array.isArray(member) ? this.#taken(JSON.stringify(member)) : this.#fail()
  }

  lists(): readonly Members[] {
    const member = this.#members[this.#next] ?? []
    return Array.isArray(member) ? this.#taken(member.map((list) => new Members(list))) : this.#fail()
  }

  wholes(): readonly number[] {
    const member = this.#members[this.#next] ?? []
    return Array.isArray(member) && member.every(isWhole) ? this.#taken(member) : this.#fail()
  }

  #taken<Value>(value: Value): Value {
    this.#next++
    return value
  }

  #fail(): never {
    throw new Error(`member ${this.#next} of a receipt is not valid`)
  }
}

const isWhole = (member: unknown): member is number => Number.isSafeInteger(member) && (member as number) >= 0
