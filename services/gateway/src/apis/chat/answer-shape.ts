import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote
} from '../../body/json-bytes.ts'
import { closingQuote, isSpace } from '../../body/scan.ts'
import type { BodyShape } from '../../relay/json-body.ts'

/** Texts up to this many bytes are read byte by byte. In longer ones, only the closing quote is searched for. */
const maxReadText = 64

/** The member names that are read. */
const name = { other: 0, list: 1, usage: 2, error: 3, object: 4, finishReason: 5, tier: 6, model: 7 } as const

/**
 * Reads the structure of a single body as its bytes pass: whether it is one JSON object, whether the object has ended,
 * whether it has the list of answers, where its usage is, and which service tier it names. Reads only braces, brackets
 * and texts, and does not check the rest.
 */
export class AnswerShape implements BodyShape {
  /**
   * Whether the object has the list, and the list begins with an object. A whole object that reports usage needs no
   * list: filters of providers answer so, and the provider bills what it reports.
   */
  hasList = false
  /** Whether the bytes cannot be one JSON object. */
  isFaulty = false
  /** Whether the object, or a choice of its list, reports an error (OpenRouter, vLLM). */
  reportsError = false
  /** Index of the first byte of the last member `usage` that is an object; -1 before it. */
  usageFrom = -1
  /** Index after the last byte of that member; -1 before it. */
  usageEnd = -1
  /** The outer member `service_tier`; null before it. */
  tier: string | null = null
  /** The outer member `model`; null before it. */
  model: string | null = null
  readonly #list: string
  /** Number of bytes before the current ones. */
  #before = 0
  #depth = 0
  /** Whether member names are read at this depth: in the outer object and in a choice. */
  #readsNames = true
  #isClosed = false
  #inText = false
  #isEscaped = false
  /** Whether the next text is a member name that is read. */
  #expectsName = false
  /** Whether the current text is a name or value that is read. */
  #matters = false
  /** The beginning of a name or value that is read, while its end is missing. */
  #begun = ''
  /** The last member name that was read. */
  #named: number = name.other
  /** Whether the list has begun. */
  #inList = false

  /** @param list the name of the list */
  constructor(list: 'choices' | 'data') {
    this.#list = list
  }

  /** Whether only white space arrived. */
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
    const { length } = bytes
    for (let at = 0; at < length; ) {
      if (this.#inText) {
        at = this.#readText(bytes, at)
        continue
      }
      // Elsewhere only the depth is read, because a list of numbers is long.
      const plain = this.#readsNames ? plainAmongNames : plainElsewhere
      if (this.#depth > 0) while (at < length && plain[bytes[at]!] === 1) at++
      if (at === length) return
      const byte = bytes[at++]!
      if (this.#depth > 0) this.#readStructure(byte, this.#before + at)
      else if (byte === openBrace && !this.#isClosed) this.#enter()
      else if (!isSpace(byte)) {
        this.isFaulty = true
        return
      }
    }
  }

  #atDepth(depth: number): void {
    this.#depth = depth
    this.#readsNames = depth < 2 || (depth === 3 && this.#inList)
  }

  #enter(): void {
    this.#atDepth(this.#depth + 1)
    this.#expectsName = this.#readsNames
  }

  #leave(end: number): void {
    if (this.#depth === 2) this.#inList = false
    this.#atDepth(this.#depth - 1)
    this.#expectsName = false
    if (this.#depth === 0) {
      this.#isClosed = true
      this.hasList ||= this.usageEnd >= 0
    } else if (this.#depth === 1 && this.usageFrom >= 0 && this.usageEnd < 0) this.usageEnd = end
  }

  /** @param end index after the byte, in the whole body */
  #readStructure(byte: number, end: number): void {
    switch (byte) {
      case quote:
        this.#inText = true
        this.#matters = this.#readsNames && (this.#expectsName || this.#named >= name.error)
        return
      case openBracket:
        if (this.#readsNames) this.#beginValue()
        if (this.#depth === 1) this.#inList = this.#named === name.list
        this.#enter()
        return
      case openBrace:
        if (this.#readsNames) this.#beginValue()
        if (this.#inList && this.#depth === 2) {
          this.hasList = true
          this.#named = name.other
        }
        if (this.#depth === 1 && this.#named === name.usage) {
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
        this.#expectsName = false
        return
      case comma:
        this.#expectsName = true
        this.#named = name.other
    }
  }

  /** Call this when an object or a list begins as the value of a member. */
  #beginValue(): void {
    if (this.#named === name.error) this.reportsError = true
  }

  /** @returns the index after the closing quote, or the length */
  #readText(bytes: Buffer, from: number): number {
    const end = this.#endOfText(bytes, from)
    if (this.#matters) this.#readMatter(bytes, from, end)
    if (end < 0) return bytes.length
    this.#inText = false
    return end + 1
  }

  /** @param end index of the closing quote; -1 if it is missing */
  #readMatter(bytes: Buffer, from: number, end: number): void {
    if (end >= 0 && this.#begun === '') {
      this.#endText(bytes, from, end)
      return
    }
    // All texts that matter are shorter.
    const near = Math.min(from + maxReadText, end < 0 ? bytes.length : end)
    if (this.#begun.length < maxReadText) this.#begun += bytes.toString('latin1', from, near)
    if (end < 0) return
    const text = Buffer.from(this.#begun, 'latin1')
    this.#begun = ''
    this.#endText(text, 0, text.length)
  }

  /** @returns the index of the closing quote; -1 if it is missing */
  #endOfText(bytes: Buffer, from: number): number {
    let at = from
    let isEscaped = this.#isEscaped
    for (const near = Math.min(from + maxReadText, bytes.length); at < near; at++) {
      const byte = bytes[at]!
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) {
        this.#isEscaped = false
        return at
      }
    }
    // All texts that matter are shorter, so the escapes of this one do not matter.
    if (isEscaped) at++
    this.#isEscaped = isEscaped && at > bytes.length
    if (at >= bytes.length) return -1
    const end = closingQuote(bytes, at)
    this.#isEscaped = end === -2
    return end < 0 ? -1 : end
  }

  /** @param end index of the closing quote */
  #endText(bytes: Buffer, start: number, end: number): void {
    if (this.#expectsName) this.#named = this.#nameAt(bytes, start, end)
    // An empty error text means no error; any other text is an error.
    else if (this.#named === name.error) this.reportsError ||= end > start
    else if (this.#named === name.tier) this.tier = shortText(bytes, start, end)
    else if (this.#named === name.model) this.model = shortText(bytes, start, end)
    else if (isText(bytes, start, end, 'error')) this.reportsError = true
  }

  #nameAt(bytes: Buffer, start: number, end: number): number {
    if (isText(bytes, start, end, 'error')) return name.error
    if (this.#depth > 1) return isText(bytes, start, end, 'finish_reason') ? name.finishReason : name.other
    if (isText(bytes, start, end, this.#list)) return name.list
    if (isText(bytes, start, end, 'usage')) return name.usage
    if (isText(bytes, start, end, 'object')) return name.object
    if (isText(bytes, start, end, 'model')) return name.model
    return isText(bytes, start, end, 'service_tier') ? name.tier : name.other
  }
}

const shortText = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('latin1', start, Math.min(end, start + maxReadText))

function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** 1 for each byte except quotes, braces and brackets. */
const plainElsewhere = new Uint8Array(256).fill(1)
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) plainElsewhere[byte] = 0
/** 1 for each byte except quotes, braces, brackets, colons and commas. */
const plainAmongNames = plainElsewhere.slice()
plainAmongNames[colon] = plainAmongNames[comma] = 0
