import { Type } from 'typebox'

/** The one shape of every failed answer; see the error table for the values of `type` and `code`. */
export const ErrorResponse = Type.Object({
  error: Type.Object({ message: Type.String(), type: Type.String(), code: Type.String() })
})
