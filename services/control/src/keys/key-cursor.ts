import { isKeyId } from '../database/key-id.ts'
import * as cursor from '../http/query.ts'

/** A place in a list of keys, newest first. The next page begins after this key. */
export interface KeyPlace {
  readonly createdAt: Date
  readonly id: string
}

export const writeKeyCursor = ({ createdAt, id }: KeyPlace): string => cursor.writeCursor(createdAt, id)

/** @returns null for any text that {@link writeKeyCursor} did not write */
export function readKeyCursor(text: string): KeyPlace | null {
  const place = cursor.readCursor(text, isKeyId)
  return place === null ? null : { createdAt: place.at, id: place.id }
}
