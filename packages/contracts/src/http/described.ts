import type { TSchema } from 'typebox'

/**
 * A schema with what the API reference says about it: what it means, its unit, and what holds without it.
 *
 * @param schema is copied with what TypeBox knows of it, such as that a member is optional
 * @param example a value that says more than its type. Default: the reference makes one up
 */
export function described<Schema extends TSchema>(description: string, schema: Schema, example?: unknown): Schema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  Object.assign(copy, { description, ...(example !== undefined && { examples: [example] }) })
  return copy as Schema
}
