import * as cursor from '../http/cursor.ts'

/** A place in the log, newest first. The next page starts after this row. */
export interface AuditPlace {
  readonly at: Date
  readonly id: number
}

export const writeCursor = ({ at, id }: AuditPlace): string => cursor.writeCursor(at, id)

/** @returns null if {@link writeCursor} did not write it */
export function readCursor(text: string): AuditPlace | null {
  const place = cursor.readCursor(text, isRowId)
  return place === null ? null : { at: place.at, id: Number(place.id) }
}

const isRowId = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
