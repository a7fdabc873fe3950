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

/** So many bytes of a text are read one by one; longer texts are searched for their end. */
const shortText = 64

/**
 * Follows a single body as its bytes pass: whether it is one JSON object, whether the object has ended, and whether it has
 * the list that makes it an answer. Reads braces, brackets and texts only; what is between them is not checked.
 */
export class AnswerShape {
  /** Whether the object has the list, and the list has begun with an object. */
  hasList = false
  /** Whether the bytes cannot be one JSON object. */
  isFaulty = false
  /** The list's name and the quote behind it. */
  readonly #name: string
  #depth = 0
  #isClosed = false
  #inText = false
  #isEscaped = false
  /** In the outer object: whether a text that begins now is a name. */
  #expectsName = false
  /** How much of a name has been the list's; -1 if it is another's, or no name. */
  #matched = -1
  /** Whether the last name of the outer object was the list's. */
  #isNamed = false
  /** Whether the list has begun. */
  #inList = false

  /** @param list the name of the list: `choices` or `data` */
  constructor(list: 'choices' | 'data') {
    this.#name = `${list}"`
  }

  /** Whether nothing but white space has come. */
  get isBlank(): boolean {
    return this.#depth === 0 && !this.#isClosed && !this.isFaulty
  }

  /** Whether the object has ended, with nothing behind it. */
  get isClosed(): boolean {
    return this.#isClosed && !this.isFaulty
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#inText) {
        at = this.#readText(bytes, at)
        continue
      }
      // Below the outer object only depth matters: a list of numbers is long.
      if (this.#depth > 1) {
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
      } else this.#readStructure(byte)
    }
  }

  #enter(): void {
    this.#depth++
    this.#expectsName = this.#depth === 1
  }

  #readStructure(byte: number): void {
    switch (byte) {
      case quote:
        this.#inText = true
        this.#matched = this.#expectsName ? 0 : -1
        return
      case openBracket:
        if (this.#depth === 1) this.#inList = this.#isNamed
        this.#enter()
        return
      case openBrace:
        if (this.#inList && this.#depth === 2) this.hasList = true
        this.#enter()
        return
      case closeBrace:
      case closeBracket:
        this.#depth--
        if (this.#depth === 0) this.#isClosed = true
        else if (this.#depth === 1) this.#inList = false
        return
      case colon:
        if (this.#depth === 1) this.#expectsName = false
        return
      case comma:
        if (this.#depth === 1) {
          this.#expectsName = true
          this.#isNamed = false
        }
    }
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
    // No name that matters is as long.
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
    this.#matched = byte === this.#name.charCodeAt(this.#matched) ? this.#matched + 1 : -1
  }

  #leaveText(at: number): number {
    this.#inText = false
    if (this.#matched === this.#name.length) this.#isNamed = true
    this.#matched = -1
    return at + 1
  }
}

/** 1 for each byte that is neither a quote, nor a brace, nor a bracket. */
const isPlain = new Uint8Array(256).fill(1)
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) isPlain[byte] = 0

/** White space of JSON (RFC 8259, section 2). */
function isSpace(byte: number): boolean {
  return byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09
}
