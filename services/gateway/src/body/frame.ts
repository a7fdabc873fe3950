import { decodeText } from './json-text.ts'
import { anyShape, type Shape } from './shape.ts'

/** An object or array that has begun. */
export type Frame = {
  shape: Shape
  isObject: boolean
  /** Items or members so far. */
  count: number
  /** Bits of the known members that it has. */
  seen: number
  /** The kind of the first item. */
  firstKind: number
  /** Where it begins, and how many of its values are numbers. */
  start: number
  numbers: number
  /** Where the present member's name stands. */
  nameStart: number
  nameEnd: number
}

/** Outside of the request. */
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

/** How much of a name is told. */
const toldName = 60

/**
 * Where a member stands in the request, such as `messages[0].content`.
 *
 * @param depth of the frame that holds the innermost name or index
 */
export function pathOf(frames: readonly Frame[], depth: number, bytes: Buffer): string {
  let path = ''
  for (let level = 0; level <= depth; level++) {
    const { isObject, nameStart, nameEnd, count } = frames[level]!
    if (!isObject) path += `[${count - 1}]`
    else path += `${level === 0 ? '' : '.'}${decodeText(bytes, nameStart, nameEnd).slice(0, toldName)}`
  }
  return path
}
