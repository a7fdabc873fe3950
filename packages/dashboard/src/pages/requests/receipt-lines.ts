import { chargedKind, ownCount, pricedRows, units } from '@tollgate/contracts/meters/meters.ts'
import { formatMs, type RequestDetail } from './describe-request.ts'

/** A part of the cost. */
export interface ChargeLine {
  readonly name: string
  readonly count: number
  /** Dollars for each unit: for a million tokens, a request or a call; null if the log has none. */
  readonly price: string | null
  /** Such as `1M`, `request` or `call`. */
  readonly unit: string
  /** Dollars, before the sum is rounded up; null without a price. */
  readonly usd: number | null
}

/** Dollars by unit and kind. */
type ListedPrices = Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>

/**
 * Splits the usage of a request into the parts that were charged. The exact cost is the request's own: it is rounded up
 * once.
 */
export function chargeLines(request: RequestDetail): ChargeLine[] {
  const { prices } = request
  const lines: ChargeLine[] = pricedRows.flatMap((row) => {
    const count = ownCount(row, request)
    if (count <= 0) return []
    const { prices: member, per, label } = units[row.unit]
    const listed = (prices as ListedPrices | null)?.[member]?.[chargedKind(row.member)]
    const price = listed ?? null
    const usd = price === null ? null : (count * Number(price)) / per
    return [{ name: row.name, count, price, unit: label, usd }]
  })
  if (prices !== null && Number(prices.request_usd) > 0) {
    const { request_usd: price } = prices
    lines.push({ name: 'Request', count: 1, price, unit: 'request', usd: Number(price) })
  }
  if (request.tool_calls > 0) lines.push(toolLine(request))
  return lines
}

/** The log counts calls of all tools together. With one price, it is known which applies. */
function toolLine({ tool_calls: count, prices }: RequestDetail): ChargeLine {
  const amounts = [...new Set(Object.values(prices?.tool_call_usd ?? {}))]
  const price = amounts.length === 1 ? amounts[0]! : null
  return { name: 'Tool calls', count, price, unit: 'call', usd: price === null ? null : count * Number(price) }
}

/** A call to a provider. */
interface ListedAttempt {
  /** Its place among the calls of the request, from 1. */
  readonly number: number
  readonly provider: string
  readonly isFailure: boolean
  readonly outcome: string
  /** null if nothing is known of it. */
  readonly time: string | null
}

type Told = Pick<
  RequestDetail,
  'attempts' | 'failed_attempts' | 'upstream' | 'status' | 'code' | 'client_gone' | 'first_byte_ms'
>

/**
 * All calls of a request to providers, in their order.
 *
 * @returns none if the only call has not failed, or if the log has only the number of calls: it was so for older
 *   requests
 */
export function listAttempts(request: Told): ListedAttempt[] {
  const { attempts, failed_attempts: failed, upstream } = request
  if (failed.length === 0 || attempts > failed.length + 1) return []
  const listed = failed.map(({ upstream: provider, code, status, started_ms, duration_ms }, index) => ({
    number: index + 1,
    provider: provider ?? nameOfCall(index + 1),
    isFailure: true,
    outcome: `${status === null ? 'No answer' : `Status ${status}`}: ${code}`,
    time: `Began after ${formatMs(started_ms)}, failed ${formatMs(duration_ms)} later`
  }))
  if (attempts === failed.length || upstream === null) return listed
  const last = {
    number: attempts,
    provider: upstream ?? nameOfCall(attempts),
    isFailure: false,
    outcome: outcomeOfLast(request)
  }
  const { first_byte_ms: first } = request
  return [
    ...listed,
    { ...last, time: first === null ? null : `First byte ${formatMs(first)} after the request arrived` }
  ]
}

/** Customers do not see which provider it was. */
const nameOfCall = (number: number): string => `Call ${number}`

function outcomeOfLast({ status, code, client_gone: isGone }: Told): string {
  if (isGone) return 'Still under way when the client left'
  if (code === null) return 'Answered'
  return `Status ${status ?? 'unknown'}: ${code}`
}
