import { findName, type SearchedName, searchedName } from '../body/find-name.ts'
import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from '../body/json-bytes.ts'
import { skipValue, valueAfter } from '../body/scan.ts'
import { mayHaveWords, wordsOfLines } from './words.ts'

/**
 * Tokens that the model may have produced before its answer was cut off, and that the provider had not sent: a tenth of
 * a second at 320 tokens a second.
 */
export const tokensInTransit = 32

const initialBytes = 1024
const maxKeptBytes = 1024 * 1024

/**
 * Keeps the model's words of a stream: the unchanged JSON values of one member, such as `delta`, one after the other.
 * In choices, the members beside it that may have words, too. They are needed if the stream ends before its usage. They
 * are about a tenth of its bytes.
 */
export class ReceivedText {
  readonly #member: string
  readonly #name: SearchedName
  #bytes: Buffer = none
  #used = 0
  #all = 0

  readonly #hasChoices: boolean

  /**
   * @param member the name of the member that holds the words
   * @param hasChoices whether the member is in the choices of an event
   */
  constructor(member: string, hasChoices = true) {
    this.#member = member
    this.#name = names.get(member) ?? remember(member)
    this.#hasChoices = hasChoices
  }

  /**
   * @param events whole events
   * @param text the same, one character per byte
   */
  add(events: Buffer, text: string): void {
    const hasChoices = this.#hasChoices && this.#name !== choicesName && this.#addChoices(events, text)
    if (hasChoices || this.#addAll(events, text, this.#name)) return
    // Some providers write whole messages instead.
    if (this.#hasChoices) this.#addAll(events, text, messageName)
  }

  /** Adds the words of all choices. @returns whether the events have choices */
  #addChoices(events: Buffer, text: string): boolean {
    const first = findName(text, choicesName, 0)
    for (let at = first; at >= 0; ) {
      let next = valueAfter(events, at + choicesName.length)
      if (events[next] === openBracket) {
        next++
        for (let byte = events[next]; byte !== undefined && byte !== closeBracket; byte = events[next])
          next = byte === openBrace ? this.#addObject(events, text, next) : next + 1
      }
      at = findName(text, choicesName, Math.max(next, at + choicesName.length))
    }
    return first >= 0
  }

  /** Adds the members of an object that may have words. @returns the index after it */
  #addObject(events: Buffer, text: string, start: number): number {
    const { length } = events
    let hasWords = false
    let [message, messageEnd] = [-1, -1]
    for (let at = start + 1; at < length; ) {
      const byte = events[at]
      if (byte === closeBrace) {
        // A message beside a delta has the answer so far (Perplexity).
        if (message >= 0 && !hasWords) this.#append(events, message, messageEnd)
        return at + 1
      }
      if (byte !== quote) {
        at++
        continue
      }
      const nameEnd = text.indexOf('"', at + 1)
      const value = nameEnd < 0 ? -1 : valueAfter(events, nameEnd + 1)
      if (value < 0 || value >= length) return length
      const end = Math.min(endOfValue(events, text, value), length)
      const first = events[value]
      // Numbers, null and booleans are no words, and nearly all members are such.
      if (first === quote || first === openBrace || first === openBracket) {
        if (nameEnd - at === this.#name.length - 1 && text.startsWith(this.#member, at + 1)) {
          hasWords = true
          this.#append(events, value, end)
        } else if (end - value > 2) {
          const name = text.slice(at + 1, nameEnd)
          if (name === 'message') [message, messageEnd] = [value, end]
          else if (mayHaveWords(name)) this.#append(events, at, end, true)
        }
      }
      at = end
    }
    return length
  }

  /** Adds words from elsewhere in an event. */
  addWords(words: unknown): void {
    const json = Buffer.from(JSON.stringify(words))
    this.#append(json, 0, json.length)
  }

  /** @returns whether the events have such a member */
  #addAll(events: Buffer, text: string, name: SearchedName): boolean {
    const first = findName(text, name, 0)
    for (let at = first; at >= 0; ) {
      at = findName(text, name, this.#addValue(events, at + name.length))
    }
    return first >= 0
  }

  /** Adds the value of a member. @returns the index after it */
  #addValue(events: Buffer, nameEnd: number): number {
    const start = valueAfter(events, nameEnd)
    if (start < 0) return nameEnd
    const end = Math.min(skipValue(events, start), events.length)
    this.#append(events, start, end)
    return end
  }

  /** Bytes of all words so far, kept or not. */
  get size(): number {
    return this.#all
  }

  /** Whether words, not only empty deltas, came after the first `size` bytes. */
  hasWordsFrom(size: number): boolean {
    if (size === this.#all) return false
    if (this.#used < this.#all) return true
    for (const text of wordsOfLines(this.#bytes.subarray(size, this.#used)).values()) if (text !== '') return true
    return false
  }

  /** Counts bytes of events that are too long to be inspected. */
  skip(bytes: number): void {
    this.#all += bytes
  }

  /** The first lines of JSON, and how many bytes of later lines were not kept. */
  received(): { bytes: Buffer; unseenBytes: number } {
    return { bytes: this.#bytes.subarray(0, this.#used), unseenBytes: this.#all - this.#used }
  }

  /** @param isMember whether the bytes are a member, which gets braces to be a value */
  #append(events: Buffer, start: number, end: number, isMember = false): void {
    const around = isMember ? 2 : 0
    const length = end - start + around + 1
    this.#all += length
    if (this.#used < this.#all - length || this.#used + length > maxKeptBytes) return
    if (this.#used + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(initialBytes, 2 * this.#bytes.length, this.#used + length))
      this.#bytes.copy(larger, 0, 0, this.#used)
      this.#bytes = larger
    }
    if (isMember) this.#bytes[this.#used] = openBrace
    events.copy(this.#bytes, this.#used + around / 2, start, end)
    if (isMember) this.#bytes[this.#used + length - 2] = closeBrace
    this.#bytes[this.#used + length - 1] = lineFeed
    this.#used += length
  }
}

/** Like `skipValue`. Most texts have no escapes: then a search of V8 is faster than a loop. */
function endOfValue(events: Buffer, text: string, from: number): number {
  if (events[from] !== quote) return skipValue(events, from)
  const end = text.indexOf('"', from + 1)
  return end > 0 && events[end - 1] !== backslash ? end + 1 : skipValue(events, from)
}

const lineFeed = 0x0a
const none = Buffer.alloc(0)
const messageName = searchedName('message')
const choicesName = searchedName('choices')
const names = new Map<string, SearchedName>([['choices', choicesName]])

function remember(member: string): SearchedName {
  const name = searchedName(member)
  names.set(member, name)
  return name
}
