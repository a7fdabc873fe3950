import { invalidRequest, missingReference } from '../errors.ts'
import type { WireList } from '../wire.ts'

export interface PageParams {
  limit?: number
  starting_after?: string
  ending_before?: string
}

export interface RangeParams {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
}

const usualLimit = 10

/**
 * A page of objects that are there newest first.
 *
 * @param noun of the objects, as in "No such price"
 * @param url of the list
 * @throws StripeApiError 400 when the object to start at is not among them
 */
export function listPage<Item extends { id: string }>(
  items: readonly Item[],
  { limit = usualLimit, starting_after, ending_before }: PageParams,
  noun: string,
  url: string
): WireList<Item> {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.')
  }
  const placeOf = (id: string, param: string) => {
    const place = items.findIndex((item) => item.id === id)
    if (place === -1) throw missingReference(noun, id, param)
    return place
  }
  if (ending_before !== undefined) {
    const end = placeOf(ending_before, 'ending_before')
    const start = Math.max(0, end - limit)
    return { object: 'list', data: items.slice(start, end), has_more: start > 0, url }
  }
  const start = starting_after === undefined ? 0 : placeOf(starting_after, 'starting_after') + 1
  const end = start + limit
  return { object: 'list', data: items.slice(start, end), has_more: end < items.length, url }
}

/** Whether a time lies within a range; without one, it does. */
export function isWithin(time: number, { gt, gte, lt, lte }: RangeParams = {}): boolean {
  return (
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte)
  )
}
