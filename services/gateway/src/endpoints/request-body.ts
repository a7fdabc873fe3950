import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Static, TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { findMembers, type MemberSpan } from '../body/members.ts'

/** A request body in both of its forms: what the client sent, and what was understood of it. */
export type RequestBody<Members> = {
  bytes: Buffer
  members: Members
  /** Where each top-level member's value stands in `bytes`. */
  spans: ReadonlyMap<string, MemberSpan>
}

/**
 * Reads what the gateway must understand of a body. The rest is not looked at, and is forwarded as it is.
 *
 * @param validator of the members that are understood, as an open object
 * @throws ServiceError invalid_json, or invalid_request naming the member
 */
export function readRequestBody<Schema extends TSchema>(
  bytes: Buffer | null,
  validator: Validator<Record<never, never>, Schema>
): RequestBody<Static<Schema>> {
  if (bytes === null || bytes.length === 0)
    throw new ServiceError('invalid_json', { message: 'The request has no body.' })
  let members: unknown
  try {
    members = JSON.parse(bytes.toString())
  } catch (cause) {
    throw new ServiceError('invalid_json', { cause })
  }
  if (!validator.Check(members)) {
    const [problem] = validator.Errors(members)
    throw new ServiceError('invalid_request', { message: describe(problem) })
  }
  const spans = new Map<string, MemberSpan>()
  for (const span of findMembers(bytes)) {
    // Parsers differ in which of two they believe, so the upstream might serve what was not judged here.
    if (spans.has(span.name)) {
      throw new ServiceError('invalid_request', { message: `${span.name}: given more than once.` })
    }
    spans.set(span.name, span)
  }
  return { bytes, members, spans }
}

function describe(problem: { instancePath: string; message: string; params: unknown } | undefined): string {
  if (problem === undefined) return 'The request body is not valid.'
  const { requiredProperties } = problem.params as { requiredProperties?: string[] }
  if (requiredProperties !== undefined) return `${requiredProperties.join(', ')}: missing.`
  const path = problem.instancePath.slice(1).replaceAll('/', '.')
  return path === '' ? `The request body ${problem.message}.` : `${path}: ${problem.message}.`
}
