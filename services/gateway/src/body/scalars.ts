import { decodeText } from './json-text.ts'
import type { KnownMember, Shape } from './shape.ts'

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
