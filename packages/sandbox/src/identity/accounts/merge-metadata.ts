import type { Metadata } from '../wire.ts'

/**
 * Merges an update into metadata as GoTrue does: keys of the first level are replaced whole, null removes a key, others
 * stay.
 */
export function mergeMetadata(current: Metadata, update: Metadata): Metadata {
  // Built from entries, not by assignment: a key named __proto__ is then a key like any other.
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(update)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}
