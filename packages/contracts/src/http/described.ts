import type { TSchema } from 'typebox'

/**
 * A schema with what the API reference says about it: what it means, its unit, and what holds without it.
 *
 * @param schema is copied with what TypeBox knows of it, such as that a member is optional
 */
export function described<Schema extends TSchema>(description: string, schema: Schema): Schema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as { description: string }
  copy.description = description
  return copy as unknown as Schema
}
