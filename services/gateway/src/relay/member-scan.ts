import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from '../body/json-bytes.ts'
import { closingQuote, isSpace } from '../body/scan.ts'

/** Longer values are not kept. Usage objects have a few hundred bytes. */
export const maxValueBytes = 16_384
/** Texts up to this many bytes are read byte by byte. In longer ones, only the closing quote is searched for. */
const maxReadText = 64
/** Longer names are none of those that are searched. */
const maxNameBytes = 64

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

/** The searched members of one object, or of the objects in one list. */
interface Level {
  readonly isList: boolean
  readonly members: ReadonlyMap<string, { readonly path: string | null; readonly inner: Level | null }>
  /** For a list. */
  readonly items: Level | null
}

/** A value whose end has not been read. */
interface OpenValue {
  readonly path: string
  /** How many objects and lists are open around it. */
  readonly depth: number
  /** Where it begins within the current bytes. */
  from: number
  /** Its parts within earlier bytes; empty if they are too long. */
  gathered: Buffer[]
  gatheredBytes: number
}

/**
 * Gathers the values of some members of one JSON object as its bytes pass, at any length of the object. Only members of
 * the named places count, because an answer repeats texts and schemas of its client, which may have members of the same
 * names. A value may be searched together with members within it: they are found even if the whole is too long.
 *
 * It reads only texts, braces, brackets, commas and colons, and does not check the rest.
 */
export class MemberScan {
  /**
   * The JSON texts of the values that have ended, by path. Of equal names, the last counts. A value that is too long is
   * missing.
   */
  readonly values = new Map<string, string>()
  /** The values within lists, in order. */
  readonly listed: ListedValue[] = []
  /** Whether the bytes cannot be one JSON object. */
  isFaulty = false
  /** Whether the object has ended, with nothing after it. */
  isClosed = false
  /** Index of the first byte of the last value at {@link spanOf}; -1 before it. */
  spanFrom = -1
  /** Index after the last byte of that value; -1 before it. */
  spanEnd = -1
  readonly #spanOf: string | null
  readonly #root: Level
  /** What is searched in the open objects and lists; null for nothing. The outer object comes first. */
  #levels: Array<Level | null> = []
  /** Bytes before the current ones. */
  #before = 0
  #inText = false
  #isEscaped = false
  #expectsName = false
  /** The index of the current item of a list. */
  #item = 0
  /** The beginning of a name that is read; null while none is. */
  #name: string | null = null
  #member: { readonly path: string | null; readonly inner: Level | null } | undefined
  /** The values that are gathered: each is within the one before. */
  readonly #open: OpenValue[] = []

  /**
   * @param paths of the members, such as `response.usage`, or `output.*.id` for the items of a list. The searched names
   *   contain no dots and no escapes
   * @param spanOf the path whose place is needed, too
   */
  constructor(paths: readonly string[], spanOf: string | null = null) {
    this.#root = levels.get(paths) ?? prepare(paths)
    this.#spanOf = spanOf
  }

  /** How many bytes have been read. */
  get bytes(): number {
    return this.#before
  }

  /** Whether only white space arrived. */
  get isBlank(): boolean {
    return this.#levels.length === 0 && !this.isClosed && !this.isFaulty
  }

  /** The parsed value at a path; undefined if it is missing. */
  valueOf(path: string): unknown {
    const text = this.values.get(path)
    return text === undefined ? undefined : parsedValue(text)
  }

  push(bytes: Buffer): void {
    this.#read(bytes)
    for (const value of this.#open) keep(value, bytes)
    this.#before += bytes.length
  }

  #read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#inText) {
        at = this.#readText(bytes, at)
        continue
      }
      const byte = bytes[at]!
      if (this.#levels.length === 0) {
        if (byte === openBrace && !this.isClosed) this.#enter(this.#root)
        else if (!isSpace(byte)) {
          this.isFaulty = true
          return
        }
      } else this.#readStructure(byte, bytes, at)
      at++
    }
  }

  #enter(level: Level | null): void {
    this.#levels.push(level)
    this.#expectsName = level !== null && !level.isList
    if (level?.isList === true) this.#item = 0
  }

  #readStructure(byte: number, bytes: Buffer, at: number): void {
    switch (byte) {
      case quote:
        this.#inText = true
        this.#name = this.#expectsName ? '' : null
        return
      case openBrace:
        this.#enter(this.#inner(false))
        return
      case openBracket:
        this.#enter(this.#inner(true))
        return
      case closeBrace:
      case closeBracket:
        if (this.#levels.at(-1) !== null) this.#endValue(bytes, at)
        this.#levels.pop()
        this.#expectsName = false
        this.#member = undefined
        if (this.#levels.length === 0) this.isClosed = true
        return
      case colon:
        if (this.#levels.at(-1) !== null) this.#beginValue(at + 1)
        return
      case comma:
        if (this.#levels.at(-1)?.isList === true) this.#item++
        if (this.#levels.at(-1)?.isList !== false) return
        this.#endValue(bytes, at)
        this.#expectsName = true
        this.#member = undefined
    }
  }

  /** What is searched in the object or list that begins as the current value. */
  #inner(isList: boolean): Level | null {
    const level = this.#levels.at(-1) ?? null
    if (level === null) return null
    const inner = level.isList ? level.items : (this.#member?.inner ?? null)
    return inner?.isList === isList ? inner : null
  }

  #beginValue(from: number): void {
    this.#expectsName = false
    const path = this.#member?.path ?? null
    const depth = this.#levels.length
    if (path === null || this.#open.at(-1)?.depth === depth) return
    this.#open.push({ path, depth, from, gathered: [], gatheredBytes: 0 })
    if (path === this.#spanOf) {
      this.spanFrom = this.#before + from
      this.spanEnd = -1
    }
  }

  /** Ends the value of the current member, which ends before `at`. */
  #endValue(bytes: Buffer, at: number): void {
    const value = this.#open.at(-1)
    if (value === undefined || this.#levels.length !== value.depth) return
    this.#open.pop()
    const { path } = value
    const text = endText(value, bytes, at)
    if (text === null) this.values.delete(path)
    else if (!path.includes('*')) this.values.set(path, text)
    else if (this.listed.length < maxListed) this.listed.push({ path, item: this.#item, text })
    if (path === this.#spanOf) this.spanEnd = this.#before + at
  }

  /** @returns the index after the closing quote, or the length */
  #readText(bytes: Buffer, from: number): number {
    const end = this.#endOfText(bytes, from)
    if (this.#name !== null && this.#name.length <= maxNameBytes)
      this.#name += bytes.toString('latin1', from, Math.min(end < 0 ? bytes.length : end, from + maxNameBytes + 1))
    if (end < 0) return bytes.length
    this.#inText = false
    if (this.#name !== null) {
      this.#member = this.#levels.at(-1)?.members.get(this.#name)
      this.#name = null
    }
    return end + 1
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
      if (bytes[at] === backslash) break
    }
    const end = closingQuote(bytes, at)
    this.#isEscaped = end === -2
    return end < 0 ? -1 : end
  }
}

/**
 * The text of a value that ends before `at`; null if it is too long. Nearly all values are within the current bytes.
 */
function endText({ from, gathered, gatheredBytes }: OpenValue, bytes: Buffer, at: number): string | null {
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

/** Prepared by the list of paths, because the formats use the same lists for all answers. */
const levels = new WeakMap<readonly string[], Level>()

function prepare(paths: readonly string[]): Level {
  const level = levelOf(paths.map((path) => ({ path, names: path.split('.') })))
  levels.set(paths, level)
  return level
}

function levelOf(searched: ReadonlyArray<{ path: string; names: readonly string[] }>): Level {
  const members = new Map<string, { path: string | null; inner: Level | null }>()
  if (searched[0]!.names[0] === '*') {
    const items = levelOf(searched.map(({ path, names }) => ({ path, names: names.slice(1) })))
    return { isList: true, members, items }
  }
  for (const name of new Set(searched.map(({ names }) => names[0]!))) {
    const here = searched.filter(({ names }) => names[0] === name)
    const inner = here
      .filter(({ names }) => names.length > 1)
      .map(({ path, names }) => ({ path, names: names.slice(1) }))
    members.set(name, {
      path: here.find(({ names }) => names.length === 1)?.path ?? null,
      inner: inner.length === 0 ? null : levelOf(inner)
    })
  }
  return { isList: false, members, items: null }
}
