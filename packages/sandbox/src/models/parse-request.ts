import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type ApiError, invalidRequest } from './api-error.ts'
import { findProblem, type Problem } from './find-problem.ts'

/**
 * Creates the parser of one kind of request.
 *
 * @param refuse words the error about an invalid member
 * @returns a function that parses the bytes of a body by the schema
 * @throws ApiError (400, from that function) that names the invalid member
 */
export function requestParser<Schema extends TSchema>(
  schema: Schema,
  refuse: (problem: Problem) => ApiError = refuseMember
): (body: Buffer) => Static<Schema> {
  const validator = Compile(schema)
  return (body) => {
    const value = parseJson(body)
    const problem = findProblem(validator, value)
    if (problem !== null) throw refuse(problem)
    return value as Static<Schema>
  }
}

/** The error about an invalid member, in OpenAI's words where it has them. */
export function refuseMember({ kind, path, detail }: Problem): ApiError {
  if (path.length === 0) return invalidRequest('The JSON body of your request should be an object.')
  const param = path.join('.')
  if (kind === 'missing') {
    return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
  }
  if (kind === 'unknown') return invalidRequest(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
  return invalidRequest(`Invalid value for '${param}': ${detail}.`, param, 'invalid_value')
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw invalidRequest('We could not parse the JSON body of your request.')
  }
}
