import { type TSchema, Type } from 'typebox'

/** The one shape of every failed answer; see the error table for the values of `type` and `code`. */
export const ErrorResponse = Type.Object({
  error: Type.Object({ message: Type.String(), type: Type.String(), code: Type.String() })
})

/** The response schemas of an endpoint: what it answers on success, by status, and the error shape for everything else. */
export function answers<Success extends Record<number, TSchema>>(success: Success) {
  return { ...success, '4xx': ErrorResponse, '5xx': ErrorResponse }
}
