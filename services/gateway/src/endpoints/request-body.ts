import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Static, TObject } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { isTooComplex } from '../body/complexity.ts'
import { findMembers, fold, type MemberSpan } from '../body/members.ts'

/** A request body in both of its forms: what the client sent, and what was understood of it. */
export type RequestBody<Members> = {
  bytes: Buffer
  members: Members
  /** Where each top-level member's value stands in `bytes`, by the member's name in lower case. */
  spans: ReadonlyMap<string, MemberSpan>
}

/**
 * Reads what the gateway must understand of a body. The rest is not looked at, and is forwarded as it is.
 *
 * @param understood the members that are read, from {@link understand}
 * @throws ServiceError invalid_json, or invalid_request naming the member
 */
export function readRequestBody<Schema extends TObject>(
  bytes: Buffer,
  understood: UnderstoodMembers<Schema>
): RequestBody<Static<Schema>> {
  if (bytes.length === 0) throw new ServiceError('invalid_json', { message: 'The request has no body.' })
  if (isTooComplex(bytes)) {
    throw new ServiceError('invalid_request', {
      message: 'The request body is nested too deeply or has too many values.'
    })
  }
  let members: unknown
  try {
    members = JSON.parse(bytes.toString())
  } catch (cause) {
    throw new ServiceError('invalid_json', { cause })
  }
  if (!understood.all.Check(members))
    throw new ServiceError('invalid_request', { message: describe(understood, members) })
  const spans = new Map<string, MemberSpan>()
  const found = findMembers(bytes)
  if (found === null) throw new ServiceError('invalid_request', { message: 'The request has too many members.' })
  for (const span of found) {
    // Parsers differ in which of two members they believe, and some (Go's) take a name in any case for the one they know:
    // the upstream might serve what was not judged here.
    const spelling = isPlain.test(span.name) ? span.name : fold(span.name)
    if (spans.has(spelling)) {
      throw new ServiceError('invalid_request', { message: `${span.name}: given more than once.` })
    }
    if (spelling !== span.name && understood.names.has(spelling)) {
      throw new ServiceError('invalid_request', { message: `${span.name}: write it as ${spelling}.` })
    }
    spans.set(spelling, span)
  }
  return { bytes, members, spans }
}

/** A name that is its own spelling, as nearly all are. */
const isPlain = /^[a-z0-9_]*$/

/** The members of a body that the gateway reads, ready for use. */
export type UnderstoodMembers<Schema extends TObject> = {
  readonly all: Validator<Record<never, never>, Schema>
  readonly names: ReadonlySet<string>
  readonly each: ReadonlyArray<{ name: string; isRequired: boolean; isValid: (value: unknown) => boolean }>
}

/** Prepares the check of an open object. */
export function understand<Schema extends TObject>(schema: Schema): UnderstoodMembers<Schema> {
  const required: readonly string[] = schema.required
  const names = Object.keys(schema.properties)
  const each = names.map((name) => {
    const validator = Compile(schema.properties[name]!)
    return { name, isRequired: required.includes(name), isValid: (value: unknown) => validator.Check(value) }
  })
  return { all: Compile(schema), names: new Set(names), each }
}

/** Names the first member that is not as it must be: to find every fault of a large body would take seconds. */
function describe<Schema extends TObject>(understood: UnderstoodMembers<Schema>, members: unknown): string {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    return 'The request body must be an object.'
  }
  for (const { name, isRequired, isValid } of understood.each) {
    if (!Object.hasOwn(members, name)) {
      if (isRequired) return `${name}: missing.`
    } else if (!isValid(Reflect.get(members, name))) {
      return `${name}: not valid.`
    }
  }
  return 'The request body is not valid.'
}
