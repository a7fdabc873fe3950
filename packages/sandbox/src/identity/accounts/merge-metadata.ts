import type { Metadata } from '../wire.ts'

/**
 * Merges an update into metadata as GoTrue does: top-level keys are replaced as a whole, null removes a key, others stay.
 */
export function mergeMetadata(current: Metadata, update: Metadata): Metadata {
  // Built from entries, because assigning a key named __proto__ would set the prototype.
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(update)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}
