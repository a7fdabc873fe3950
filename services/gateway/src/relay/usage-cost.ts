import { formatPicos } from '@tollgate/contracts/money/usd.ts'
import { MemberScan } from './member-scan.ts'
import type { Level } from './searched-members.ts'

/**
 * Writes the cost into the usage object of an answer, as OpenRouter does. All other bytes stay the same.
 *
 * @param from index of the first byte of the object
 * @param end index after its last byte
 * @param nanos the cost, nanodollars
 * @returns the same bytes if the object cannot be read
 */
export function withUsageCost(bytes: Buffer, from: number, end: number, nanos: number): Buffer {
  const text = withoutBilled(bytes.toString('utf8', from, end))
  if (text === null) return bytes
  const before = text.slice(0, -1).trimEnd()
  const cost = `${before === '{' ? '' : ','}"cost":${formatPicos(BigInt(nanos) * 1000n)}`
  const usage = Buffer.from(before + cost + text.slice(before.length))
  return Buffer.concat([bytes.subarray(0, from), usage, bytes.subarray(end)])
}

/** A usage object without what its provider bills. Nearly all have none. @returns null if it is not JSON */
function withoutBilled(text: string): string | null {
  try {
    const usage: Record<string, unknown> = JSON.parse(text)
    if (!('cost' in usage) && !('cost_details' in usage)) return text
    const { cost: _cost, cost_details: _details, ...others } = usage
    return JSON.stringify(others)
  } catch {
    return null
  }
}

/**
 * The same for an event of a stream.
 *
 * @param search its span is the usage object
 * @returns the same event if it has no usage object, or its data are in several lines
 */
export function eventWithCost(event: Buffer, search: Level, nanos: number): Buffer {
  const field = dataField.exec(event.toString('latin1'))
  if (field === null) return event
  const from = field.index + field[0].length
  const scan = new MemberScan(search)
  scan.push(event.subarray(from))
  if (!scan.isClosed || scan.spanEnd < 0) return event
  return withUsageCost(event, from + scan.spanFrom, from + scan.spanEnd, nanos)
}

const dataField = /(?:^|[\r\n])data:/
