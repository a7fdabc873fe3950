import { isTrailer } from './parse-head.ts'

/** Maximum bytes of the extensions of a chunk, and of all trailers. Providers send neither. */
const maxLineBytes = 16_384
/** Maximum hexadecimal digits, so that every size is a safe integer. */
const maxSizeDigits = 13

const inSize = 0
const inExtension = 1
const afterSizeLine = 2
const inData = 3
const afterData = 4
const afterDataReturn = 5
const inTrailers = 6
const isOver = 7
const isMalformed = 8

const carriageReturn = 0x0d
const lineFeed = 0x0a
const semicolon = 0x3b
/** RFC 9112, 7.1.1, without spaces. */
const wellFormedExtensions = /^(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?)+$/
const printable = /^[\t\x20-\x7e\x80-\xff]*$/

/** Extracts the payload of a chunked body (RFC 9112, 7.1). The result does not depend on how the bytes are cut. */
export class ChunkedBody {
  /** Where the payload begins and ends in the bytes of the last `read`. */
  from = 0
  to = 0
  #state = inSize
  /** Within the size line, the size so far. Within the chunk, its missing bytes. */
  #size = 0
  #digits = 0
  #line = ''
  #lineBytes = 0

  get isComplete(): boolean {
    return this.#state === isOver
  }

  get isMalformed(): boolean {
    return this.#state === isMalformed
  }

  reset(): void {
    this.#state = inSize
    this.#size = 0
    this.#digits = 0
    this.#line = ''
    this.#lineBytes = 0
  }

  /**
   * Reads more bytes. Moves the payloads of several chunks together within `bytes`.
   *
   * @param at where the body continues
   * @returns the index after the body's last byte in `bytes`
   */
  read(bytes: Buffer, at: number): number {
    this.from = at
    this.to = at
    while (at < bytes.length && this.#state < isOver) {
      if (this.#state === inData) at = this.#readData(bytes, at)
      else this.#readFraming(bytes[at++]!)
    }
    return at
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#size, bytes.length)
    if (this.from === this.to) this.from = this.to = at
    if (this.to !== at) bytes.copyWithin(this.to, at, end)
    this.to += end - at
    this.#size -= end - at
    if (this.#size === 0) this.#state = afterData
    return end
  }

  #readFraming(byte: number): void {
    switch (this.#state) {
      case inSize:
        this.#readSize(byte)
        break
      case inExtension:
        if (byte !== carriageReturn) this.#gather(byte)
        else if (wellFormedExtensions.test(this.#line) && printable.test(this.#line)) this.#state = afterSizeLine
        else this.#state = isMalformed
        break
      case afterSizeLine:
        this.#line = ''
        this.#lineBytes = 0
        this.#digits = 0
        this.#expect(byte, lineFeed, this.#size === 0 ? inTrailers : inData)
        break
      case afterData:
        this.#expect(byte, carriageReturn, afterDataReturn)
        break
      case afterDataReturn:
        this.#expect(byte, lineFeed, inSize)
        break
      case inTrailers:
        this.#readTrailer(byte)
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit
      if (++this.#digits > maxSizeDigits) this.#state = isMalformed
    } else if (this.#digits === 0) this.#state = isMalformed
    else if (byte === carriageReturn) this.#state = afterSizeLine
    else if (byte === semicolon) {
      this.#state = inExtension
      this.#gather(byte)
    } else this.#state = isMalformed
  }

  #readTrailer(byte: number): void {
    if (byte !== lineFeed) {
      this.#gather(byte)
      return
    }
    if (this.#line === '\r') this.#state = isOver
    else if (!this.#line.endsWith('\r') || !isTrailer(this.#line.slice(0, -1))) this.#state = isMalformed
    this.#line = ''
  }

  #gather(byte: number): void {
    this.#line += String.fromCharCode(byte)
    if (++this.#lineBytes > maxLineBytes) this.#state = isMalformed
  }

  #expect(byte: number, expected: number, next: number): void {
    this.#state = byte === expected ? next : isMalformed
  }
}

/** @returns the value of a hexadecimal digit; -1 for any other byte */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
