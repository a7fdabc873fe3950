import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from '../body/json-bytes.ts'
import { closingQuote, isSpace } from '../body/scan.ts'
import type { Level, Member } from './searched-members.ts'

/** Longer values are not kept. Usage objects have a few hundred bytes. */
export const maxValueBytes = 16_384
/** Texts up to this many bytes are read byte by byte. In longer ones, only the closing quote is searched for. */
const maxReadText = 64
/** Values of all members in lists together. A response has fewer items. */
const maxListed = 4096

/** A value within a list. */
export interface ListedValue {
  /** Such as `output.*.id`. */
  readonly path: string
  /** The index of its item. */
  readonly item: number
  /** JSON */
  readonly text: string
}

/** A gathered value whose end has not been read. */
interface OpenValue {
  readonly member: Member
  /** Where it begins within the current bytes. */
  from: number
  /** Its parts within earlier bytes; empty if they are too long. */
  gathered: Buffer[]
  gatheredBytes: number
}

/**
 * Reads some members of one JSON object as its bytes pass, at any length of the object. Only members of the named
 * places count, because an answer repeats texts and schemas of its client, which may have members of the same names. A
 * value may be searched together with members within it: they are found even if the whole is too long.
 *
 * It reads only texts, braces, brackets, commas and colons, and does not check the rest.
 */
export class MemberScan {
  /**
   * The JSON texts of the gathered values that have ended, by path. Of equal names, the last counts. A value that is
   * too long is missing.
   */
  readonly values = new Map<string, string>()
  /** The values within lists, in order. */
  readonly listed: ListedValue[] = []
  /** How many bytes have been read. */
  bytes = 0
  /** Whether the bytes cannot be one JSON object. */
  isFaulty = false
  /** Whether the object has ended, with nothing after it. */
  isClosed = false
  /** Index of the first byte of the last object at the path of the span; -1 before it. */
  spanFrom = -1
  /** Index after the last byte of that object; -1 before it. */
  spanEnd = -1
  readonly #search: Level
  /** The groups of the signs that were found, as bits. */
  #signBits = 0
  /** What is searched in the innermost object or list that is searched; null outside of the outer object. */
  #level: Level | null = null
  /** How many objects and lists are open within it: nothing is searched there. */
  #unsearched = 0
  /** What is searched at the current value. */
  #member: Member | null = null
  /** The index of the current item of a list. */
  #item = 0
  /** The values that are gathered: each is within the one before. */
  readonly #open: OpenValue[] = []
  #expectsName = false
  #inText = false
  #isEscaped = false
  /** Whether the text that is read has an escape. */
  #hasEscape = false
  /** The beginning of a name, or of a text that may be a sign, while its end is missing. */
  #begun = ''

  constructor(search: Level) {
    this.#search = search
  }

  /** Whether only white space arrived. */
  get isBlank(): boolean {
    return this.#level === null && !this.isClosed && !this.isFaulty
  }

  /** Whether a sign of a group was found. @param group its index */
  hasSign(group: number): boolean {
    return (this.#signBits & (1 << group)) !== 0
  }

  /** The parsed value at a path; undefined if it is missing. */
  valueOf(path: string): unknown {
    const text = this.values.get(path)
    return text === undefined ? undefined : parsedValue(text)
  }

  push(bytes: Buffer): void {
    if (this.isFaulty) return
    this.#read(bytes)
    for (const value of this.#open) keep(value, bytes)
    this.bytes += bytes.length
  }

  #read(bytes: Buffer): void {
    const { length } = bytes
    for (let at = 0; at < length; at++) {
      if (this.#inText) at = this.#readText(bytes, at)
      else if (this.#level !== null) {
        // Where nothing is searched, only the depth is read, because a list of numbers is long.
        const plain = this.#unsearched > 0 ? plainElsewhere : plainAmongNames
        while (at < length && plain[bytes[at]!] === 1) at++
        if (at === length) return
        if (bytes[at] === quote) this.#beginText()
        else if (this.#unsearched > 0) this.#readDepth(bytes[at]!, at)
        else this.#readStructure(bytes, at)
      } else if (bytes[at] === openBrace && !this.isClosed) this.#enter(this.#search)
      else if (!isSpace(bytes[at]!)) {
        this.isFaulty = true
        this.isClosed = false
        return
      }
    }
  }

  #beginText(): void {
    this.#inText = true
    this.#hasEscape = false
  }

  #readDepth(byte: number, at: number): void {
    if (byte === openBrace || byte === openBracket) this.#unsearched++
    else if (--this.#unsearched === 0 && this.spanEnd < this.spanFrom) this.spanEnd = this.bytes + at + 1
  }

  #readStructure(bytes: Buffer, at: number): void {
    const level = this.#level!
    switch (bytes[at]) {
      case openBrace:
      case openBracket:
        this.#beginNested(bytes[at] === openBracket, at)
        return
      case closeBrace:
      case closeBracket:
        this.#endValue(bytes, at)
        this.#level = level.outer
        this.#member = level.outer === null ? null : level.outer.item
        this.#expectsName = false
        this.isClosed = level.outer === null
        return
      case colon:
        if (this.#expectsName) this.#beginValue(at + 1)
        return
      case comma:
        if (level.item !== null) this.#item++
        else {
          this.#endValue(bytes, at)
          this.#expectsName = true
          this.#member = null
        }
    }
  }

  #enter(level: Level): void {
    this.#level = level
    this.#member = level.item
    this.#expectsName = level.item === null
    if (level.item !== null) this.#item = 0
  }

  /** Begins an object or a list. */
  #beginNested(isList: boolean, at: number): void {
    const member = this.#member
    if (member !== null) {
      const { sign, inner } = member
      if (sign !== null && (isList ? sign.is === 'content' : sign.is !== 'text')) this.#signBits |= sign.bit
      if (inner !== null && (inner.item !== null) === isList) {
        this.#enter(inner)
        return
      }
      if (member.isSpan && !isList) {
        this.spanFrom = this.bytes + at
        this.spanEnd = -1
      }
    }
    this.#unsearched = 1
  }

  #beginValue(from: number): void {
    this.#expectsName = false
    const member = this.#member
    if (member?.isGathered === true) this.#open.push({ member, from, gathered: [], gatheredBytes: 0 })
  }

  /** Ends the value of the current member, which ends before `at`. */
  #endValue(bytes: Buffer, at: number): void {
    const value = this.#open.at(-1)
    if (value === undefined || value.member.level !== this.#level) return
    this.#open.pop()
    const { path } = value.member
    const text = valueText(value, bytes, at)
    if (text === null) this.values.delete(path)
    else if (!path.includes('*')) this.values.set(path, text)
    else if (this.listed.length < maxListed) this.listed.push({ path, item: this.#item, text })
  }

  /** @returns the index of the closing quote, or the length */
  #readText(bytes: Buffer, from: number): number {
    const quoteAt = this.#endOfText(bytes, from)
    const end = quoteAt < 0 ? bytes.length : quoteAt
    this.#inText = quoteAt < 0
    const mayMatter = this.#unsearched === 0 && (this.#expectsName || (this.#member?.sign ?? null) !== null)
    if (mayMatter) {
      if (this.#begun === '' && quoteAt >= 0) this.#endText(bytes, from, end)
      else this.#readPart(bytes, from, end)
    }
    return end
  }

  /** Reads a part of a text that is not within one piece. */
  #readPart(bytes: Buffer, from: number, end: number): void {
    // Searched names and signs are shorter.
    if (this.#begun.length <= maxReadText)
      this.#begun += bytes.toString('latin1', from, Math.min(end, from + maxReadText))
    if (this.#inText) return
    const text = Buffer.from(this.#begun, 'latin1')
    this.#begun = ''
    this.#endText(text, 0, text.length)
  }

  /** @returns the index of the closing quote; -1 if it is missing */
  #endOfText(bytes: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped) {
      at++
      this.#isEscaped = false
    }
    // Most texts are short: then a search costs more than it saves.
    for (const near = Math.min(bytes.length, at + maxReadText); at < near; at++) {
      if (bytes[at] === quote) return at
      if (bytes[at] === backslash) {
        this.#hasEscape = true
        break
      }
    }
    const end = closingQuote(bytes, at)
    this.#isEscaped = end === -2
    return end < 0 ? -1 : end
  }

  /** @param end index of the closing quote */
  #endText(bytes: Buffer, start: number, end: number): void {
    if (!this.#hasEscape) {
      this.#endPlainText(bytes, start, end)
      return
    }
    const text = Buffer.from(unescaped(bytes.toString('utf8', start, end)))
    this.#endPlainText(text, 0, text.length)
  }

  #endPlainText(bytes: Buffer, start: number, end: number): void {
    if (this.#expectsName) {
      this.#member = this.#level!.members.find(({ name }) => isText(bytes, start, end, name)) ?? null
      return
    }
    const { is, bit, text } = this.#member!.sign!
    if (is === 'content' ? end > start : is === 'text' && isText(bytes, start, end, text)) this.#signBits |= bit
  }
}

function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** A text without its escapes; as it is, if they are not JSON's. */
function unescaped(text: string): string {
  const value = parsedValue(`"${text}"`)
  return typeof value === 'string' ? value : text
}

/** The text of a value that ends before `at`; null if it is too long. Nearly all values are within one piece. */
function valueText({ from, gathered, gatheredBytes }: OpenValue, bytes: Buffer, at: number): string | null {
  if (gatheredBytes + at - from > maxValueBytes) return null
  if (gatheredBytes === 0) return bytes.toString('utf8', from, at).trim()
  return Buffer.concat([...gathered, bytes.subarray(from, at)])
    .toString()
    .trim()
}

/** Copies the current bytes of a value that goes on beyond them. */
function keep(value: OpenValue, bytes: Buffer): void {
  const part = bytes.subarray(value.from)
  value.from = 0
  value.gatheredBytes += part.length
  if (value.gatheredBytes <= maxValueBytes) value.gathered.push(Buffer.from(part))
  else value.gathered = []
}

/** The value of a JSON text; undefined if it is none. Most texts are plain strings. */
export function parsedValue(text: string): unknown {
  if (text.charCodeAt(0) === quote && text.indexOf('"', 1) === text.length - 1 && !text.includes('\\')) {
    return text.slice(1, -1)
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** 1 for each byte except quotes, braces and brackets. */
const plainElsewhere = new Uint8Array(256).fill(1)
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) plainElsewhere[byte] = 0
/** 1 for each byte except quotes, braces, brackets, colons and commas. */
const plainAmongNames = plainElsewhere.slice()
plainAmongNames[colon] = plainAmongNames[comma] = 0
