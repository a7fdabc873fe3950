import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { GoTrueError, validationFailed } from '../errors.ts'

// As in Go: an absent or null field is the zero value, and unknown fields are ignored.

export const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
export const Flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
export const JsonObject = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]))

/** The fields of every endpoint that can start a PKCE flow. */
export const codeChallenge = { code_challenge: Text, code_challenge_method: Text }

/** @throws GoTrueError 400 `bad_json` if the body does not match the schema */
export function readBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Value.Check(schema, body)) return body
  const [problem] = Value.Errors(schema, body)
  const place = problem === undefined ? '' : ` (${problem.instancePath || 'body'}: ${problem.message})`
  throw new GoTrueError(400, 'bad_json', `Could not parse request body as JSON${place}`)
}

/** @throws GoTrueError 400 `validation_failed` for a request that starts a PKCE flow, which is not supported */
export function refusePkce(body: { code_challenge?: string | null }): void {
  if (body.code_challenge) {
    throw validationFailed(
      'The embedded identity server does not support the PKCE flow: use flowType "implicit" and token_hash links'
    )
  }
}
