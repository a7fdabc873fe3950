import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalidRequest } from './api-error.ts'

/**
 * Creates the parser of one kind of request.
 *
 * @returns a function that parses the bytes of a body by the schema
 * @throws ApiError (400, from that function) that names the invalid member, in OpenAI's words where it has them
 */
export function requestParser<Schema extends TSchema>(schema: Schema): (body: Buffer) => Static<Schema> {
  const validator = Compile(schema)
  return (body) => {
    const value = parseJson(body)
    if (validator.Check(value)) return value
    // A union reports the errors of every alternative. The deepest path belongs to the best match.
    const [error] = [...validator.Errors(value)].sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
    const path = (error?.instancePath ?? '').split('/').slice(1)
    if (error?.keyword === 'required') {
      const param = [...path, error.params.requiredProperties[0] ?? ''].join('.')
      throw invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
    }
    if (path.length === 0) throw invalidRequest('The JSON body of your request should be an object.')
    const param = path.join('.')
    throw invalidRequest(`Invalid value for '${param}': ${error?.message}.`, param, 'invalid_value')
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw invalidRequest('We could not parse the JSON body of your request.')
  }
}

function depth(path: string): number {
  return path.split('/').length
}
