import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { fold } from './members.ts'

/** Longer paths are cut in messages. */
const maxPath = 200

const shown = (path: string): string => (path.length > maxPath ? `${path.slice(0, maxPath)}…` : path)

/** The value does not fit the schema. @param path such as `messages[0].content`; empty for the request itself */
export const notValid = (path: string): ServiceError =>
  new ServiceError('invalid_request', {
    message:
      path === ''
        ? 'The request body must be an object.'
        : `${shown(path)}: not valid. Compare it with the API reference.`
  })

export const unpriced = (path: string, reason: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `${shown(path)}: ${reason}. Remove it.` })

export const missing = (path: string): ServiceError =>
  new ServiceError('invalid_request', { message: `${shown(path)}: missing. Add it.` })

export const repeated = (path: string): ServiceError =>
  new ServiceError('invalid_request', { message: `${shown(path)}: given more than once. Keep one.` })

/** For an unknown name, or a known name in another case: only some servers ignore the case. */
export function unknownName(path: string, name: string, known: ReadonlySet<string>): ServiceError {
  const spelling = fold(name)
  const isKnown = known.has(spelling)
  return new ServiceError('invalid_request', {
    message: isKnown ? `${shown(path)}: write it as ${spelling}.` : `${shown(path)}: not supported here. Remove it.`
  })
}

/** @param what continues "The request body …" */
export const beyondLimit = (what: string): ServiceError =>
  new ServiceError('invalid_request', { message: `The request body ${what}. Reduce it.` })
