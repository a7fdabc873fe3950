import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { type RareCounts, rareCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { type FailedAttempt, type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'

/**
 * The text form of a receipt in Redis: one line, a JSON array with the members in a fixed order. Later releases add
 * members at its end only: older ones ignore them, and a missing member has its default. `reaped.lua` writes the same
 * form.
 *
 * Receipts that are written together are nearly the same. So each further line has only what differs from the line
 * before: a tilde, a character for each member that differs ('0' for the first, and on in ASCII), and a JSON array of
 * those members.
 */

const charCodeOfFirst = 48

/** Writes receipts that are stored together, one a line. */
export function encodeReceipts(receipts: readonly Receipt[]): string {
  let lines = encodeReceipt(receipts[0]!)
  for (let n = 1; n < receipts.length; n++) lines += `\n${differenceText(receipts[n]!, receipts[n - 1]!)}`
  return lines
}

/** The members that every receipt has, in their order. */
const membersOf = (receipt: Receipt): unknown[] => [
  receiptKinds.indexOf(receipt.kind),
  receipt.id,
  receipt.account,
  receipt.key,
  receipt.at,
  receipt.count,
  receipt.endpoint,
  receipt.model,
  receipt.answeredModel,
  receipt.isStream ? 1 : 0,
  receipt.upstream,
  receipt.attempts,
  receipt.status,
  receipt.code,
  receipt.isEstimated ? 1 : 0,
  receipt.clientGone ? 1 : 0,
  receipt.costNanos,
  receipt.promptTokens,
  receipt.cachedTokens,
  receipt.completionTokens,
  receipt.reasoningTokens,
  receipt.heldNanos,
  receipt.heldTokens,
  receipt.grantedTokens,
  receipt.tier,
  receipt.rates,
  receipt.firstByteMs,
  receipt.durationMs,
  receipt.address
]
const ratesAt = 25

/** The line of a receipt after another one. */
function differenceText(receipt: Receipt, before: Receipt): string {
  const [members, others] = [membersOf(receipt), membersOf(before)]
  let [places, texts] = ['~', '']
  for (let at = 0; at < members.length; at++) {
    const member = members[at]
    if (member === others[at]) continue
    places += String.fromCharCode(charCodeOfFirst + at)
    texts += `${texts === '' ? '' : ','}${memberText(member, at)}`
  }
  const rest = restDifference(receipt, before, members.length)
  return `${places}${rest.places}[${texts}${texts === '' || rest.texts === '' ? '' : ','}${rest.texts}]`
}

/** The members that nearly no receipt has. */
function restDifference(receipt: Receipt, before: Receipt, from: number): { places: string; texts: string } {
  const hasRest = ({ rare, failedAttempts, askedModel, refused }: Receipt) =>
    rare !== null || failedAttempts.length > 0 || askedModel !== null || refused !== null
  if (!hasRest(receipt) && !hasRest(before)) return { places: '', texts: '' }
  const { rare, failedAttempts, askedModel, refused } = receipt
  const places = Array.from({ length: 5 }, (_, n) => String.fromCharCode(charCodeOfFirst + from + n)).join('')
  const rareList = rare === null ? '[]' : rareText(rare).slice(1)
  const end = endText(failedAttempts, askedModel, refused).slice(0, -1)
  return { places, texts: `${rareList}${refused === null ? `${end},[]` : end}` }
}

/** Writes a receipt. */
export function encodeReceipt(receipt: Receipt): string {
  const { rare, failedAttempts, askedModel, refused } = receipt
  const members = membersOf(receipt)
  let text = `[${members[0]}`
  for (let at = 1; at < members.length; at++) text += `,${memberText(members[at], at)}`
  text += rare === null ? ',[]' : rareText(rare)
  const hasEnd = failedAttempts.length > 0 || askedModel !== null || refused !== null
  return hasEnd ? text + endText(failedAttempts, askedModel, refused) : `${text}]`
}

/** @param at its place: the prices are JSON already */
const memberText = (member: unknown, at: number): string =>
  at === ratesAt || typeof member === 'number' ? `${member}` : JSON.stringify(member)

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
 * Reads receipts that were stored together, one after the other.
 *
 * @returns reads the next line. It throws an Error if that is not a receipt
 */
export function createReceiptReader(): (line: string) => Receipt {
  let last: unknown[] | null = null
  return (line) => {
    const isDifference = line.startsWith('~')
    if (!isDifference) last = null
    const members = isDifference ? withDifference(last, line) : (JSON.parse(line) as unknown[])
    const receipt = readMembers(new Members(members))
    last = members
    return receipt
  }
}

/** The members of the line before, with those that differ. */
function withDifference(before: readonly unknown[] | null, line: string): unknown[] {
  const [, places, json] = /^~([^[]*)(\[.*)$/s.exec(line) ?? []
  if (before === null || places === undefined || json === undefined) throw new Error('a receipt lacks the one before')
  const members = [...before]
  const changed = JSON.parse(json) as unknown[]
  if (changed.length !== places.length) throw new Error('a receipt has other members than it says')
  for (const [n, member] of changed.entries()) members[places.charCodeAt(n) - charCodeOfFirst] = member
  return members
}

/** @throws Error if the members are not those of a receipt */
function readMembers(members: Members): Receipt {
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
  const rare = members.integers()
  // Earlier gateways wrote the upstream of the first call here, if the last one was of another.
  members.textOr()
  const failedAttempts = members.lists().map(readAttempt)
  const askedModel = members.textOr()
  const refused = readRefused(members.wholes())
  return { ...beginning, rare: readRare(rare), failedAttempts, askedModel, refused }
}

/** Empty without rare counts. Those that later releases added may be missing. Only the margin may be below 0. */
function readRare(counts: readonly number[]): RareCounts | null {
  const read = Object.fromEntries(rareCounters.map((counter, index) => [counter, counts[index] ?? 0]))
  const { marginNanos: _maybeNegative, ...others } = read
  if (!Object.values(others).every(isWhole)) throw new Error('a count of a receipt is not valid')
  return rareCounts(read)
}

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
    const numbers = this.integers()
    return numbers.every(isWhole) ? numbers : this.#fail()
  }

  integers(): readonly number[] {
    const member = this.#members[this.#next] ?? []
    return Array.isArray(member) && member.every(Number.isSafeInteger) ? this.#taken(member) : this.#fail()
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
