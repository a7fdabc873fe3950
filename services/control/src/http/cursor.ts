/** The last moment with a four-digit year: PostgreSQL cannot read how JavaScript writes later ones. */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** Writes a place in a list ordered by time and id. Callers treat it as opaque. */
export const writeCursor = (at: Date, id: string | number): string =>
  Buffer.from(`${at.getTime()}.${id}`).toString('base64url')

/**
 * @param isId whether a text can be an id of the list
 * @returns null if {@link writeCursor} did not write it
 */
export function readCursor(text: string, isId: (text: string) => boolean): { at: Date; id: string } | null {
  const [, time, id] = /^(\d{1,15})\.(.*)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined || !isId(id) || Number(time) > lastInstant) return null
  const at = new Date(Number(time))
  return writeCursor(at, id) === text ? { at, id } : null
}
