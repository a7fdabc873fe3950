import { type AccountShard, accountName, accountShard } from '../keyspace/names.ts'
import type { Layout, Packed } from '../layout/layouts.ts'

/**
 * Packs arguments of scripts for Lua's `struct.unpack`: `<d` is a double with the lowest byte first, `s` a text that
 * ends with a zero byte. Packed values are binary strings: each character (at most U+00FF) is a byte.
 */

const maxNumbers = 64
const scratch = Buffer.alloc(8 * maxNumbers)
const view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length)

/** @param numbers at most 64 */
export function packNumbers(...numbers: number[]): string {
  for (let n = 0; n < numbers.length; n++) view.setFloat64(8 * n, numbers[n]!, true)
  return scratch.toString('latin1', 0, 8 * numbers.length)
}

/** @throws Error if the text contains a zero byte, which would end it */
export function packText(text: string): string {
  if (text.includes('\0')) throw new Error('a text with a zero byte cannot be packed')
  return `${utf8(text)}\0`
}

/** A text in UTF-8, as a binary string. */
export function utf8(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

/**
 * The same binary string in one piece of memory. A concatenated string stays in parts, which every write would join
 * again.
 */
export function inOnePiece(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('latin1')
}

/** A binary string as an argument of a command: a bulk string of RESP 2. */
export function bulk(bytes: string): string {
  return `$${bytes.length}\r\n${bytes}\r\n`
}

/** Reads packed parts one after the other. */
export interface Unpacker {
  number(): number
  text(): string
}

/** The returned functions throw a RangeError after the last part. */
export function createUnpacker(bytes: Buffer): Unpacker {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let place = 0
  return {
    number() {
      place += 8
      return view.getFloat64(place - 8, true)
    },
    text() {
      const end = bytes.indexOf(0, place)
      if (end < 0) throw new RangeError('a packed text has no end')
      const text = bytes.toString('utf8', place, end)
      place = end + 1
      return text
    }
  }
}

/** Writes the parts of a layout in their order. */
export function packParts<Parts extends Layout>(layout: Parts, values: Readonly<Packed<Parts>>): string {
  let bytes = ''
  let numbers: number[] = []
  for (const part in layout) {
    const value = values[part]
    if (typeof value === 'number') numbers.push(value)
    else {
      bytes += packNumbers(...numbers) + packText(value as string)
      numbers = []
    }
  }
  return numbers.length === 0 ? bytes : bytes + packNumbers(...numbers)
}

/**
 * Reads the parts of a layout in their order.
 * @throws RangeError if a part is missing
 */
export function unpackParts<Parts extends Layout>(layout: Parts, bytes: Buffer): Packed<Parts> {
  const { number, text } = createUnpacker(bytes)
  const parts = Object.entries(layout).map(([part, form]) => [part, form === 'd' ? number() : text()])
  return Object.fromEntries(parts) as Packed<Parts>
}

/** An account with the name of its hash, encoded for RESP. Scripts make all names of the account from it. */
export interface PreparedAccount {
  readonly account: string
  readonly shard: AccountShard
  readonly name: string
}

export function prepareAccount(account: string): PreparedAccount {
  return { account, shard: accountShard(account), name: inOnePiece(bulk(accountName(account))) }
}
