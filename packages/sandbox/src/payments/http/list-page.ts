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

const defaultLimit = 10

/**
 * Returns a page of objects, which are sorted newest first.
 *
 * @param noun the name of the object in errors, as in "No such price"
 * @param url the URL of the list
 * @throws StripeApiError 400 if the cursor's object is not in the list
 */
export function listPage<Item extends { id: string }>(
  items: readonly Item[],
  { limit = defaultLimit, starting_after, ending_before }: PageParams,
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

/** Whether a time lies within a range; true without a range. */
export function isWithin(time: number, { gt, gte, lt, lte }: RangeParams = {}): boolean {
  return (
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte)
  )
}
