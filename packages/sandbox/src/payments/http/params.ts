import Type, { type TProperties, type TSchema } from 'typebox'

// Schemas of API parameters. All values arrive as text; `read-params.ts` converts them.

export const text = Type.String({ minLength: 1 })
export const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
export const flag = Type.Boolean()

/** One of these words. */
export const oneOf = <Words extends string[]>(...words: readonly [...Words]) => Type.Enum<Words>(words)

export const list = <Item extends TSchema>(item: Item) => Type.Array(item)

/** An object with exactly these parameters. */
export const fields = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/** May be absent. The empty text removes the stored value; it is read as null. */
export const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Up to 50 pairs. An empty value removes its key; the empty text removes all pairs. */
export const metadata = clearable(Type.Record(Type.String(), Type.String({ maxLength: 500 }), { maxProperties: 50 }))

/** Paths of ids to replace by objects. Every call accepts it. */
export const expand = optional(list(text))

/** A range of Unix seconds, with Stripe's names. */
export const range = optional(
  fields({ gt: optional(integer), gte: optional(integer), lt: optional(integer), lte: optional(integer) })
)

/** The parameters of every list. */
export const paging = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  starting_after: optional(text),
  ending_before: optional(text)
}
