import { type TSchema, Type } from 'typebox'
import { budgetWindows } from '../records/budget-windows.ts'
import { described } from './described.ts'

const Usd = (description: string) => Type.Optional(Type.String({ description: `US dollars: ${description}` }))

/** The body of every error. The error table has the values of `type` and `code`. */
export const ErrorResponse = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    doc_url: Type.Optional(
      Type.String({ format: 'uri', description: 'Documentation of the code, if the operator has set `DOCS_URL`' })
    ),
    scope: Type.Optional(
      Type.Enum(['request', 'key', 'account', 'member'], {
        description: 'Only in a 402, like the members below: the budget that refused the request.'
      })
    ),
    window: Type.Optional(
      Type.Enum([...budgetWindows], { description: 'How long the budget counts before it begins again' })
    ),
    models: Type.Optional(
      Type.String({ description: 'The models that the budget counts, separated by commas. Missing if it counts all.' })
    ),
    limit_usd: Usd('the limit of the budget'),
    spent_usd: Usd('charged to the budget in its present window'),
    reserved_usd: Usd('reserved for requests in flight'),
    needed_usd: Usd('the minimum that this request needs'),
    resets_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When the next window of the budget begins (UTC); in `free_spend_exhausted` the next day. Missing if waiting does not help: the request exceeds the whole budget, or the budget never begins again.'
      })
    )
  })
})

/**
 * The body of every error in the format of Anthropic's API. `details` has the code and the members that {@link
 * ErrorResponse} has.
 */
export const MessageError = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({
    type: Type.String(),
    message: Type.String(),
    details: described(
      'Null in refusals of providers that send it so.',
      Type.Optional(Type.Union([Type.Object({ error_code: Type.Optional(Type.String()) }), Type.Null()]))
    )
  }),
  request_id: Type.String()
})

/** The response schemas of an endpoint: one per status of success, and the error body for all other statuses. */
export function answers<Success extends Record<number, TSchema>>(success: Success) {
  return { ...success, '4xx': ErrorResponse, '5xx': ErrorResponse }
}
