import { isDeepStrictEqual } from 'node:util'

/** The former values of changed fields, for an event. Both objects have the same top-level fields. */
export function previousAttributes<Stored extends object>(before: Stored, after: Stored): Partial<Stored> {
  const changed = Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, Reflect.get(after, name)))
  return Object.fromEntries(changed) as Partial<Stored>
}
