import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { fold } from './members.ts'

/** How much of a path a caller is told. */
const maxPath = 200

const told = (path: string): string => (path.length > maxPath ? `${path.slice(0, maxPath)}…` : path)

/** A value that is not as it must be. @param path such as `messages[0].content`; empty for the request itself */
export const notValid = (path: string): ServiceError =>
  new ServiceError('invalid_request', {
    message: path === '' ? 'The request body must be an object.' : `${told(path)}: not valid.`
  })

export const unpriced = (path: string, reason: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `${told(path)}: ${reason}.` })

export const missing = (path: string): ServiceError =>
  new ServiceError('invalid_request', { message: `${told(path)}: missing.` })

export const repeated = (path: string): ServiceError =>
  new ServiceError('invalid_request', { message: `${told(path)}: given more than once.` })

/** A name that the object does not have, or that only servers take for one of its names which do not mind its case. */
export function unknownName(path: string, name: string, known: ReadonlySet<string>): ServiceError {
  const spelling = fold(name)
  const isKnown = known.has(spelling)
  return new ServiceError('invalid_request', {
    message: isKnown ? `${told(path)}: write it as ${spelling}.` : `${told(path)}: not known here.`
  })
}

/** @param what completes "The request body …" */
export const beyondLimit = (what: string): ServiceError =>
  new ServiceError('invalid_request', { message: `The request body ${what}.` })
