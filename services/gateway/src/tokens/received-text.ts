import { findName, type SearchedName, searchedName } from '../body/find-name.ts'
import { skipValue, valueAfter } from '../body/scan.ts'
import { wordsOfLines } from './words.ts'

const initialBytes = 1024
const maxKeptBytes = 1024 * 1024

/**
 * Keeps the model's words of a stream: the unchanged JSON values of one member, such as `delta`, one after the other. They are
 * needed if the stream ends before its usage. They are about a tenth of its bytes.
 */
export class ReceivedText {
  readonly #name: SearchedName
  #bytes: Buffer = none
  #used = 0
  #all = 0

  readonly #readsMessages: boolean

  /**
   * @param member the name of the member that holds the words
   * @param readsMessages whether events without it may have whole messages
   */
  constructor(member: string, readsMessages = true) {
    this.#name = names.get(member) ?? remember(member)
    this.#readsMessages = readsMessages
  }

  /**
   * @param events whole events
   * @param text the same, one character per byte
   */
  add(events: Buffer, text: string): void {
    // This runs for each chunk. A search for two characters is faster than for the name, and few chunks have them.
    if (text.includes('g"') && this.#name !== choicesName && findName(text, reasoningName, 0) >= 0) {
      this.#addReasoning(events, text, findName(text, this.#name, 0) < 0 ? messageName : this.#name)
      return
    }
    // Some providers write whole messages instead.
    if (!this.#addAll(events, text, this.#name) && this.#readsMessages) this.#addAll(events, text, messageName)
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

  /** Adds the words, and `reasoning` beside them. Reasoning within the words is added once. */
  #addReasoning(events: Buffer, text: string, name: SearchedName): void {
    for (let from = 0; ; ) {
      const words = findName(text, name, from)
      const reasoning = findName(text, reasoningName, from)
      if (words < 0 && reasoning < 0) return
      const isReasoning = words < 0 || (reasoning >= 0 && reasoning < words)
      from = this.#addValue(events, isReasoning ? reasoning + reasoningName.length : words + name.length)
    }
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

  #append(events: Buffer, start: number, end: number): void {
    const length = end - start + 1
    this.#all += length
    if (this.#used < this.#all - length || this.#used + length > maxKeptBytes) return
    if (this.#used + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(initialBytes, 2 * this.#bytes.length, this.#used + length))
      this.#bytes.copy(larger, 0, 0, this.#used)
      this.#bytes = larger
    }
    events.copy(this.#bytes, this.#used, start, end)
    this.#bytes[this.#used + length - 1] = lineFeed
    this.#used += length
  }
}

const lineFeed = 0x0a
const none = Buffer.alloc(0)
const messageName = searchedName('message')
const choicesName = searchedName('choices')
/** OpenRouter puts it beside the `text` of a completion. */
const reasoningName = searchedName('reasoning')
const names = new Map<string, SearchedName>([['choices', choicesName]])

function remember(member: string): SearchedName {
  const name = searchedName(member)
  names.set(member, name)
  return name
}
