import * as cursor from '../http/cursor.ts'

/**
 * A place in the list of accounts. The next page begins after this account. Spend is that of the month with which the first
 * page began, so that a list that is read across the end of a month neither repeats nor omits accounts.
 */
export type AccountPlace =
  | { readonly sort: 'created'; readonly createdAt: Date; readonly id: string }
  | { readonly sort: 'spend'; readonly month: Date; readonly nanos: string; readonly id: string }

export const writeAccountCursor = (place: AccountPlace): string =>
  place.sort === 'created'
    ? cursor.writeCursor(place.createdAt, place.id)
    : cursor.writeCursor(place.month, `${place.nanos}.${place.id}`)

/** @returns null for any text that {@link writeAccountCursor} did not write for this order */
export function readAccountCursor(text: string, sort: AccountPlace['sort']): AccountPlace | null {
  const place = cursor.readCursor(text, (id) => shapes[sort].test(id))
  if (place === null) return null
  if (sort === 'created') return { sort, createdAt: place.at, id: place.id }
  const [nanos, id] = place.id.split('.')
  return { sort, month: place.at, nanos: nanos!, id: id! }
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const shapes = {
  created: new RegExp(`^${uuid}$`),
  // Eighteen digits fit into PostgreSQL's bigint.
  spend: new RegExp(`^(?:0|[1-9]\\d{0,17})\\.${uuid}$`)
}
