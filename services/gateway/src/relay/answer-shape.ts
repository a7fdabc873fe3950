import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space
} from '../body/json-bytes.ts'

/** Maximum bytes of a text that are read one by one; of a longer text only the end is searched for. */
const shortText = 64

/**
 * Follows the structure of a single body as its bytes pass. Tells whether the body is one JSON object, whether the object has
 * ended, whether it has the list of answers, and where its usage is. Reads only braces, brackets and texts; it does not check
 * the rest.
 */
export class AnswerShape {
  /** Whether the object has the list, and the list has begun with an object. */
  hasList = false
  /** Whether the bytes cannot be one JSON object. */
  isFaulty = false
  /** Whether the object, or a choice of its list, tells of an error (OpenRouter, vLLM). */
  tellsError = false
  /** Index of the first byte of the object's last member `usage`, if that is an object; -1 before it. */
  usageFrom = -1
  /** Index after the last byte of that member; -1 before it. */
  usageEnd = -1
  /** The list's name, and the quote after it. */
  readonly #name: string
  /** How many bytes came before the present ones. */
  #before = 0
  #depth = 0
  #isClosed = false
  #inText = false
  #isEscaped = false
  /** Whether a text that begins now is a member name, in an object whose names are read. */
  #expectsName = false
  /** What the present text is compared with, and the quote after it. */
  #wanted = ''
  /** How many bytes of the text were equal so far; -1 if the text differs, or does not matter. */
  #matched = -1
  /** The last member name, and the quote after it, in an object whose names are read; empty for other names. */
  #named = ''
  /** Whether the list has begun. */
  #inList = false

  /** @param list the name of the list */
  constructor(list: 'choices' | 'data') {
    this.#name = `${list}"`
  }

  /** Whether only white space has come. */
  get isBlank(): boolean {
    return this.#depth === 0 && !this.#isClosed && !this.isFaulty
  }

  /** Whether the object has ended, with nothing after it. */
  get isClosed(): boolean {
    return this.#isClosed && !this.isFaulty
  }

  push(bytes: Buffer): void {
    this.#read(bytes)
    this.#before += bytes.length
  }

  #read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#inText) {
        at = this.#readText(bytes, at)
        continue
      }
      // Where names do not matter, only the depth is read: a list of numbers is long.
      if (!this.#readsNames) {
        while (at < bytes.length && isPlain[bytes[at]!] === 1) at++
        if (at === bytes.length) return
      }
      const byte = bytes[at++]!
      if (this.#depth === 0) {
        if (byte === openBrace && !this.#isClosed) this.#enter()
        else if (!isSpace(byte)) {
          this.isFaulty = true
          return
        }
      } else this.#readStructure(byte, this.#before + at)
    }
  }

  /** Whether names matter at this depth: in the outer object, and in a choice. */
  get #readsNames(): boolean {
    return this.#depth < 2 || (this.#depth === 3 && this.#inList)
  }

  #enter(): void {
    this.#depth++
    this.#expectsName = this.#readsNames
  }

  #leave(end: number): void {
    this.#depth--
    this.#expectsName = false
    if (this.#depth === 0) this.#isClosed = true
    else if (this.#depth === 1) {
      this.#inList = false
      if (this.usageFrom >= 0 && this.usageEnd < 0) this.usageEnd = end
    }
  }

  /** @param end index after the byte, in the whole body */
  #readStructure(byte: number, end: number): void {
    switch (byte) {
      case quote:
        this.#inText = true
        this.#beginText()
        return
      case openBracket:
        if (this.#readsNames) this.#beginValue()
        if (this.#depth === 1) this.#inList = this.#named === this.#name
        this.#enter()
        return
      case openBrace:
        if (this.#readsNames) this.#beginValue()
        if (this.#inList && this.#depth === 2) {
          this.hasList = true
          this.#named = ''
        }
        if (this.#depth === 1 && this.#named === usageEnding) {
          this.usageFrom = end - 1
          this.usageEnd = -1
        }
        this.#enter()
        return
      case closeBrace:
      case closeBracket:
        this.#leave(end)
        return
      case colon:
        if (this.#readsNames) this.#expectsName = false
        return
      case comma:
        if (this.#readsNames) {
          this.#expectsName = true
          this.#named = ''
        }
    }
  }

  /** An object or a list begins as the value of a member. */
  #beginValue(): void {
    if (this.#named === errorEnding) this.tellsError = true
  }

  #beginText(): void {
    this.#matched = this.#expectsName ? 0 : -1
    this.#wanted = ''
    if (this.#expectsName || !this.#readsNames) return
    // An empty error text means no error; any other text is an error.
    if (this.#named === errorEnding) this.#wanted = '"'
    if (this.#named === 'object"' || this.#named === 'finish_reason"') this.#wanted = errorEnding
    if (this.#wanted !== '') this.#matched = 0
  }

  /** @returns the index after the closing quote, or the length */
  #readText(bytes: Buffer, from: number): number {
    let at = from
    for (const near = Math.min(from + shortText, bytes.length); at < near; at++) {
      const byte = bytes[at]!
      if (this.#matched >= 0) this.#match(byte)
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) return this.#leaveText(at)
    }
    // All names that matter are shorter.
    if (at - from === shortText) this.#matched = -1
    if (this.#isEscaped || at === bytes.length) return at
    const end = bytes.indexOf(quote, at)
    const textEnd = end < 0 ? bytes.length : end
    let before = textEnd
    while (before > at && bytes[before - 1] === backslash) before--
    const isEscaped = (textEnd - before) % 2 === 1
    if (end < 0) {
      this.#isEscaped = isEscaped
      return textEnd
    }
    return isEscaped ? end + 1 : this.#leaveText(end)
  }

  #match(byte: number): void {
    if (this.#wanted === '') this.#wanted = this.#nameWith(byte)
    this.#matched = byte === this.#wanted.charCodeAt(this.#matched) ? this.#matched + 1 : -1
  }

  /** The name that matters and begins with this byte. */
  #nameWith(first: number): string {
    if (this.#depth > 1) return first === errorEnding.charCodeAt(0) ? errorEnding : 'finish_reason"'
    if (first === this.#name.charCodeAt(0)) return this.#name
    if (first === usageEnding.charCodeAt(0)) return usageEnding
    return first === errorEnding.charCodeAt(0) ? errorEnding : 'object"'
  }

  #leaveText(at: number): number {
    this.#inText = false
    const isWanted = this.#wanted !== '' && this.#matched === this.#wanted.length
    if (this.#expectsName) this.#named = isWanted ? this.#wanted : ''
    else if (this.#readsNames) {
      if (this.#named === errorEnding) this.tellsError ||= !isWanted
      else if (isWanted) this.tellsError = true
    }
    this.#matched = -1
    return at + 1
  }
}

const usageEnding = 'usage"'
const errorEnding = 'error"'

/** 1 for each byte except quotes, braces and brackets. */
const isPlain = new Uint8Array(256).fill(1)
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) isPlain[byte] = 0

/** White space of JSON (RFC 8259, section 2). */
function isSpace(byte: number): boolean {
  return byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09
}
