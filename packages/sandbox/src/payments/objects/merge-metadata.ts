import type { Metadata } from '../wire.ts'

/** Metadata after an update: given keys are set, empty ones removed, null removes all. */
export function mergeMetadata(present: Metadata | null, given: Metadata | null | undefined): Metadata {
  if (given === null) return {}
  const merged = { ...present, ...given }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
}
