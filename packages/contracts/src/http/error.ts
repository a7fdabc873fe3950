import { type TSchema, Type } from 'typebox'

const Usd = (description: string) => Type.Optional(Type.String({ description: `US dollars: ${description}` }))

/** The one shape of every failed answer; see the error table for the values of `type` and `code`. */
export const ErrorResponse = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    doc_url: Type.Optional(
      Type.String({ format: 'uri', description: 'Documentation of the code, where the operator has set `DOCS_URL`' })
    ),
    scope: Type.Optional(
      Type.Enum(['request', 'key', 'account'], { description: 'Of a 402: whose budget. The next members, too.' })
    ),
    limit_usd: Usd('the budget'),
    spent_usd: Usd('what has been charged to it this month'),
    reserved_usd: Usd('what requests under way may cost'),
    needed_usd: Usd('what this request may cost at least'),
    resets_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When the next month begins (UTC). Missing if the request would not fit into an empty month either.'
      })
    )
  })
})

/** The response schemas of an endpoint: what it answers on success, by status, and the error shape for everything else. */
export function answers<Success extends Record<number, TSchema>>(success: Success) {
  return { ...success, '4xx': ErrorResponse, '5xx': ErrorResponse }
}
