import { isDeepStrictEqual } from 'node:util'

/** The former values of what has changed, as an event tells them. Both have the same top-level fields. */
export function previousAttributes<Stored extends object>(before: Stored, after: Stored): Partial<Stored> {
  const changed = Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, Reflect.get(after, name)))
  return Object.fromEntries(changed) as Partial<Stored>
}
