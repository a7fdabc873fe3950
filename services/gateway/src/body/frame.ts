import { decodeText } from './json-text.ts'
import { anyShape, type KnownMember, type Shape } from './shape.ts'

export function findMember(
  members: NonNullable<Shape['members']>,
  bytes: Buffer,
  start: number,
  end: number
): KnownMember | null {
  const length = end - start
  const candidates = members[length]
  if (candidates === undefined) return null
  search: for (const candidate of candidates) {
    const name = candidate.bytes
    for (let index = 0; index < length; index++) if (name[index] !== bytes[start + index]) continue search
    return candidate
  }
  return null
}

export const findDecoded = (members: NonNullable<Shape['members']>, name: string): KnownMember | null =>
  members[name.length]?.find((member) => member.name === name) ?? null

/** Longer than any text that a schema allows. */
const maxChoice = 200

export function isOneOf(texts: readonly string[], bytes: Buffer, start: number, end: number): boolean {
  return end - start <= maxChoice && texts.includes(decodeText(bytes, start, end))
}

export function numberAt(bytes: Buffer, start: number, end: number): number {
  if (end - start > 9) return Number(bytes.toString('latin1', start, end))
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return Number(bytes.toString('latin1', start, end))
    value = value * 10 + digit
  }
  return value
}

/** An open object or array. */
export interface Frame {
  shape: Shape
  isObject: boolean
  /** Items or members so far. */
  count: number
  /** Bits of the known members found so far. */
  seen: number
  /** The kind of the first item. */
  firstKind: number
  /** Index of its first byte. */
  start: number
  /** How many of its values are numbers. */
  numbers: number
  /** Where the current member's name begins and ends. */
  nameStart: number
  nameEnd: number
}

/** The frame outside of the body's own object. */
export const noFrame: Frame = {
  shape: anyShape,
  isObject: false,
  count: 0,
  seen: 0,
  firstKind: 0,
  start: 0,
  numbers: 0,
  nameStart: 0,
  nameEnd: 0
}

/** Longer names are cut in messages. */
const maxShownName = 60

/**
 * The path of a member, such as `messages[0].content`.
 *
 * @param depth of the frame that holds the innermost name or index
 */
export function pathOf(frames: readonly Frame[], depth: number, bytes: Buffer): string {
  let path = ''
  for (let level = 0; level <= depth; level++) {
    const { isObject, nameStart, nameEnd, count } = frames[level]!
    if (!isObject) path += `[${count - 1}]`
    else path += `${level === 0 ? '' : '.'}${decodeText(bytes, nameStart, nameEnd).slice(0, maxShownName)}`
  }
  return path
}
