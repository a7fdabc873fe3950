import Type, { type TProperties, type TSchema } from 'typebox'

// The parameters of a call, as schemas: `read-params.ts` reads a form by them. All values come as text.

export const text = Type.String({ minLength: 1 })
export const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
export const flag = Type.Boolean()

/** One of these words. */
export const oneOf = <Words extends string[]>(...words: readonly [...Words]) => Type.Enum<Words>(words)

export const list = <Item extends TSchema>(item: Item) => Type.Array(item)

/** The named parameters and no others. */
export const fields = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/** May be left out, or be the empty text (null once read), which removes what was there. */
export const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Up to 50 pairs. An empty value removes its key; the empty text removes all. */
export const metadata = clearable(Type.Record(Type.String(), Type.String({ maxLength: 500 }), { maxProperties: 50 }))

/** Paths of the answer where objects are wanted instead of ids. Every call takes it. */
export const expand = optional(list(text))

/** Unix seconds, and the names by which Stripe compares them. */
export const range = optional(
  fields({ gt: optional(integer), gte: optional(integer), lt: optional(integer), lte: optional(integer) })
)

/** What every list takes. */
export const paging = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  starting_after: optional(text),
  ending_before: optional(text)
}
