import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  beyondLimit,
  describeShape,
  missing,
  notJson,
  notValid,
  otherType,
  repeated,
  tooLong,
  unknownName,
  unpriced
} from './body-fault.ts'
import { type Frame, findDecoded, findMember, isOneOf, noFrame, numberAt, pathOf } from './frame.ts'
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from './json-bytes.ts'
import { decodeText, escapeLength, maxNumberLength, skipNumber, skipPlain } from './json-text.ts'
import { maxDepth, maxNameLength, maxNames, maxObjectNames, maxReadLength, maxValues } from './limits.ts'
import type { MemberSpan } from './members.ts'
import { elided, RequestMembers } from './request-members.ts'
import { anyShape, kind, note, type Shape } from './shape.ts'
import { UniqueNames } from './unique-names.ts'

/** What the reader expects next. */
const next = { value: 0, itemOrEnd: 1, nameOrEnd: 2, name: 3, colon: 4, commaOrEnd: 5, end: 6, text: 7 } as const

/**
 * Reads the bytes of a request body once. The body must be JSON (RFC 8259) of a schema's shape, within the limits,
 * without repeated names in an object. The reader keeps only the places and short values of the top-level members. So
 * any body costs a few nanoseconds per byte, and reading can pause at any byte.
 */
export class JsonReader {
  /** Number of messages, parts and inputs. */
  messages = 0
  parts = 0
  inputs = 1
  /** Numbers in lists of only numbers, and the bytes of these lists. Requests may send tokens this way. */
  listedNumbers = 0
  listedNumberBytes = 0
  /**
   * Notes about items and parts of messages, in order: a {@link note}, where its value begins, and where it ends (texts
   * and numbers only).
   */
  readonly notes: number[] = []

  readonly #bytes: Buffer
  readonly #own: RequestMembers
  #at = 0
  #state: number = next.value
  #depth = -1
  readonly #frames: Frame[] = []
  #names: UniqueNames | null = null
  #frame: Frame = noFrame
  /** Shape of the next value. */
  #shape: Shape
  #valueStart = 0
  #textStart = 0
  #values = 0
  #nameCount = 0

  constructor(bytes: Buffer, root: Shape) {
    this.#bytes = bytes
    this.#own = new RequestMembers(bytes)
    this.#shape = root
  }

  /** Top-level members; see {@link RequestMembers}. */
  get members(): Record<string, unknown> {
    return this.#own.members
  }

  get spans(): ReadonlyMap<string, MemberSpan> {
    return this.#own.spans
  }

  /**
   * Reads the next part.
   *
   * @param length approximate number of bytes to read
   * @returns whether the whole body has been read
   * @throws ServiceError invalid_json, invalid_request or unpriced_parameter, about the first problem
   */
  read(length: number): boolean {
    const bytes = this.#bytes
    const until = Math.min(bytes.length, this.#at + length)
    while (this.#at < until) {
      if (this.#state === next.text) {
        this.#readText(until)
        continue
      }
      const byte = bytes[this.#at]!
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at++
      else this.#step(byte)
    }
    if (this.#at < bytes.length) return false
    if (this.#state !== next.end) throw this.#notJson(this.#at)
    return true
  }

  #step(byte: number): void {
    switch (this.#state) {
      case next.itemOrEnd:
        if (byte === closeBracket) this.#close()
        else this.#value(byte)
        break
      case next.value:
        this.#value(byte)
        break
      case next.nameOrEnd:
        if (byte === closeBrace) this.#close()
        else this.#name(byte)
        break
      case next.name:
        this.#name(byte)
        break
      case next.colon:
        if (byte !== colon) throw this.#notJson(this.#at)
        this.#at++
        this.#state = next.value
        break
      case next.commaOrEnd:
        if (byte === comma) {
          this.#at++
          this.#state = this.#frame.isObject ? next.name : next.value
        } else if (byte === (this.#frame.isObject ? closeBrace : closeBracket)) this.#close()
        else throw this.#notJson(this.#at)
        break
      default:
        throw this.#notJson(this.#at)
    }
  }

  #value(byte: number): void {
    if (++this.#values > maxValues) throw beyondLimit(`has more than ${maxValues.toLocaleString('en')} values`)
    const frame = this.#frame
    if (!frame.isObject && this.#depth >= 0) {
      if (++frame.count > frame.shape.maxItems) {
        throw notValid(this.#path(this.#depth - 1), `must have at most ${frame.shape.maxItems} items`)
      }
      this.#shape = frame.shape.items ?? anyShape
    }
    this.#valueStart = this.#depth === 0 ? this.#at : this.#valueStart
    if (byte === quote) {
      this.#accept(kind.text)
      this.#textStart = ++this.#at
      this.#state = next.text
    } else if (byte === openBrace) this.#open(true)
    else if (byte === openBracket) this.#open(false)
    else if (byte === 0x74) this.#literal('true', true)
    else if (byte === 0x66) this.#literal('false', false)
    else if (byte === 0x6e) this.#literal('null', null)
    else this.#number()
  }

  /** Checks the kind of a value. */
  #accept(valueKind: number): void {
    const { kinds } = this.#shape
    const frame = this.#frame
    if ((kinds & valueKind) === 0) throw this.#fault(valueKind)
    if (frame.shape.isUniform && !frame.isObject) {
      if (frame.count === 1) frame.firstKind = valueKind
      else if (frame.firstKind !== valueKind) {
        throw notValid(this.#path(this.#depth), 'must be of the same kind as the items before')
      }
    }
  }

  /** @param valueKind the kind of the value, if that is wrong */
  #fault(valueKind?: number): ServiceError {
    const path = this.#path(this.#depth)
    const { unpriced: reason } = this.#shape
    return reason === null ? notValid(path, describeShape(this.#shape, valueKind)) : unpriced(path, reason)
  }

  #notJson(at: number): ServiceError {
    return notJson(this.#bytes, at)
  }

  #open(isObject: boolean): void {
    this.#accept(isObject ? kind.object : kind.array)
    const shape = this.#shape
    this.#note(shape.note, this.#at, 0)
    if (++this.#depth === maxDepth) throw beyondLimit(`is nested deeper than ${maxDepth} levels`)
    const frame = this.#frames[this.#depth]
    if (frame === undefined) {
      this.#frame = {
        shape,
        isObject,
        start: this.#at,
        count: 0,
        numbers: 0,
        seen: 0,
        firstKind: 0,
        nameStart: 0,
        nameEnd: 0
      }
      this.#frames.push(this.#frame)
    } else {
      frame.shape = shape
      frame.isObject = isObject
      frame.start = this.#at
      frame.count = frame.numbers = frame.seen = frame.firstKind = 0
      this.#frame = frame
    }
    if (isObject && shape.members === null) {
      this.#names ??= new UniqueNames(this.#bytes)
      this.#names.open()
    }
    this.#at++
    this.#state = isObject ? next.nameOrEnd : next.itemOrEnd
  }

  #close(): void {
    const { shape, isObject, start, count, numbers, seen, firstKind } = this.#frame
    if (isObject) {
      if (shape.members === null) this.#names!.close()
      for (const { name, bit } of shape.required) {
        if (shape.isOpen ? !this.#own.spans.has(name) : (seen & bit) === 0)
          throw missing(this.#pathTo(name), this.#sent())
      }
    } else {
      if (count < shape.minItems) throw notValid(this.#path(this.#depth - 1), describeShape(shape))
      if (shape.note === note.inputs && firstKind !== kind.number) this.inputs = count
      if (numbers === count && count > 0) {
        this.listedNumbers += count
        this.listedNumberBytes += this.#at + 1 - start
      }
    }
    this.#at++
    this.#depth--
    this.#frame = this.#depth < 0 ? noFrame : this.#frames[this.#depth]!
    this.#ended(undefined)
  }

  /** Ends a value. @param value the value of a top-level scalar; undefined for all others */
  #ended(value: unknown): void {
    if (this.#depth > 0) this.#state = next.commaOrEnd
    else if (this.#depth === 0) {
      this.#state = next.commaOrEnd
      this.#own.end(value, this.#valueStart, this.#at)
    } else this.#state = next.end
  }

  #name(byte: number): void {
    if (byte !== quote) throw this.#notJson(this.#at)
    const bytes = this.#bytes
    const start = this.#at + 1
    let at = start
    let hasEscape = false
    for (;;) {
      const one = bytes[at]
      if (one === quote) break
      if (one === backslash) {
        const length = escapeLength(bytes, at)
        if (length === 0) throw this.#notJson(at)
        hasEscape = true
        at += length
      } else if (one === undefined || one < 0x20) throw this.#notJson(at)
      else at++
      if (at - start > maxNameLength) throw beyondLimit(`has a member name longer than ${maxNameLength} bytes`)
    }
    const frame = this.#frame
    frame.nameStart = start
    frame.nameEnd = at
    if (++frame.count > maxObjectNames) {
      throw beyondLimit(`has more than ${maxObjectNames.toLocaleString('en')} names in one object`)
    }
    if (++this.#nameCount > maxNames) throw beyondLimit(`has more than ${maxNames.toLocaleString('en')} member names`)
    this.#at = at + 1
    this.#state = next.colon
    if (frame.shape.members === null) {
      if (!this.#names!.add(start, at, hasEscape)) throw repeated(this.#path(this.#depth))
      this.#shape = anyShape
    } else this.#knownName(frame, frame.shape.members, start, at, hasEscape)
  }

  #knownName(
    frame: Frame,
    members: NonNullable<Shape['members']>,
    start: number,
    end: number,
    hasEscape: boolean
  ): void {
    const member = hasEscape
      ? findDecoded(members, decodeText(this.#bytes, start, end))
      : findMember(members, this.#bytes, start, end)
    if (this.#depth === 0) {
      this.#shape = this.#own.begin(member, frame.shape.knownNames, start, end)
      return
    }
    if (member === null) {
      throw unknownName(this.#path(this.#depth), decodeText(this.#bytes, start, end), frame.shape.knownNames)
    }
    if ((frame.seen & member.bit) !== 0) throw repeated(this.#path(this.#depth))
    frame.seen |= member.bit
    this.#shape = member.shape
  }

  #readText(until: number): void {
    const bytes = this.#bytes
    let at = this.#at
    for (;;) {
      at = skipPlain(bytes, at, until)
      if (at >= until) {
        this.#at = at
        return
      }
      const byte = bytes[at]
      if (byte === quote) break
      const length = byte === backslash ? escapeLength(bytes, at) : 0
      if (length === 0) throw this.#notJson(at)
      at += length
    }
    this.#at = at + 1
    this.#endText(at)
  }

  #endText(end: number): void {
    const shape = this.#shape
    const start = this.#textStart
    if (end - start < shape.minLength) throw this.#fault()
    if (shape.texts !== null && !isOneOf(shape.texts, this.#bytes, start, end)) {
      throw otherType(this.#path(this.#depth), this.#bytes, start, end, shape.texts) ?? this.#fault()
    }
    this.#note(shape.note, start, end)
    if (this.#depth !== 0) this.#ended(undefined)
    else if (end - start > maxReadLength || shape.isBulk) {
      if (!shape.isBulk && shape.kinds !== anyShape.kinds) throw tooLong(this.#path(this.#depth))
      this.#ended(elided)
    } else this.#ended(decodeText(this.#bytes, start, end))
  }

  #note(noted: number, start: number, end: number): void {
    if (noted === note.none || noted === note.inputs) return
    if (noted === note.message) this.messages++
    else {
      if (noted === note.part) this.parts++
      else if (noted === note.item) this.messages++
      this.notes.push(noted, start, end)
    }
  }

  #literal(text: string, value: boolean | null): void {
    for (let index = 1; index < text.length; index++) {
      if (this.#bytes[this.#at + index] !== text.charCodeAt(index)) throw this.#notJson(this.#at + index)
    }
    this.#accept(value === null ? kind.null : kind.boolean)
    this.#at += text.length
    this.#ended(value)
  }

  #number(): void {
    const start = this.#at
    const end = skipNumber(this.#bytes, start)
    if (end === -2) throw beyondLimit(`has a number of more than ${maxNumberLength.toLocaleString('en')} characters`)
    if (end < 0) throw this.#notJson(this.#at)
    this.#accept(kind.number)
    this.#frame.numbers++
    const { isInteger, minimum, maximum } = this.#shape
    let value = 0
    if (isInteger || this.#depth === 0) {
      value = numberAt(this.#bytes, start, end)
      if ((isInteger && !Number.isInteger(value)) || value < minimum || value > maximum) throw this.#fault()
    }
    this.#note(this.#shape.note, start, end)
    this.#at = end
    this.#ended(value)
  }

  #path(depth: number): string {
    return pathOf(this.#frames, depth, this.#bytes)
  }

  /** The members of the request, when its own object is incomplete. */
  #sent(): Iterable<string> {
    return this.#depth === 0 ? this.#own.spans.keys() : []
  }

  #pathTo(name: string): string {
    const path = this.#path(this.#depth - 1)
    return path === '' ? name : `${path}.${name}`
  }
}
