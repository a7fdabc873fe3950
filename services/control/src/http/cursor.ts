/** The last with a year of four digits: what lies beyond is written in a form that PostgreSQL does not read. */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** A place in a list that is ordered by time and id; callers carry it and need not know what is in it. */
export const writeCursor = (at: Date, id: string | number): string =>
  Buffer.from(`${at.getTime()}.${id}`).toString('base64url')

/**
 * @param isId whether a text can be an id of the list
 * @returns null if it is none that {@link writeCursor} wrote
 */
export function readCursor(text: string, isId: (text: string) => boolean): { at: Date; id: string } | null {
  const [, time, id] = /^(\d{1,15})\.(.*)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined || !isId(id) || Number(time) > lastInstant) return null
  const at = new Date(Number(time))
  return writeCursor(at, id) === text ? { at, id } : null
}
