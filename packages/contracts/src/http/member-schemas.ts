import { type TSchema, Type } from 'typebox'

/** Schemas for the structured members of requests to models, whatever the API. */

export const closed = { additionalProperties: false }
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
export const text = maybe(Type.String())
export const flag = maybe(Type.Boolean())
export const number = maybe(Type.Number())
/** An object with any members: text for the model, or labels. */
export const free = maybe(Type.Object({}))
export const freeList = maybe(Type.Array(Type.Unknown()))
export const unknownValue = Type.Optional(Type.Unknown())
/** @param reason completes "<path>: …" */
export const refused = (reason: string) => Type.Optional(Type.Null({ 'x-unpriced': reason }))
export const noPrice = 'the catalog has no price for this'
export const oneOf = (values: string[], reason = noPrice) => Type.String({ enum: values, 'x-unpriced': reason })
/** OpenRouter's way to ask for the cost. Only the gateway reads it. */
export const UsageOption = maybe(
  Type.Object(
    {
      include: maybe(
        Type.Boolean({
          description:
            'Whether the `usage` of the answer has `cost`: the US dollars that the request is charged. A stream then has its usage, too.'
        })
      )
    },
    closed
  )
)
/** How OpenAI marks a part of the prompt for its cache. A longer `ttl` costs more. */
export const cacheBreakpoint = maybe(Type.Object({ mode: text, ttl: Type.Optional(oneOf(['30m'])) }, closed))
