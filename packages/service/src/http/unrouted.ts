import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Methods of the endpoints of both services, without OPTIONS. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const maxShownPath = 100

interface Unrouted {
  readonly method: string
  /** The request target, unchanged. */
  readonly url: string
  readonly isRouted: (method: string, path: string) => boolean
  /** The code for a path without any route. */
  readonly notFoundCode: 'unknown_endpoint' | 'not_found'
  /** A sentence that says what to use instead; empty for none. */
  readonly adviceFor: (path: string) => string
}

/** The error for a request without a route: 405 if the path has other methods, else 404. */
export function failureOfUnrouted({ method, url, isRouted, notFoundCode, adviceFor }: Unrouted): ServiceError {
  const path = pathOf(url)
  // The endpoint of a route may answer 404 itself, for a file that does not exist.
  const isUnknown = !isDecodable(path) || isRouted(method, path)
  const allowed = isUnknown ? [] : methods.filter((other) => isRouted(other, path))
  if (allowed.length === 0) {
    const advice = adviceFor(path)
    const message = `There is no endpoint ${method} ${cutPath(path)}.${advice === '' ? '' : ` ${advice}`}`
    return new ServiceError(notFoundCode, { message })
  }
  if (isRouted('OPTIONS', path)) allowed.push('OPTIONS')
  const allow = allowed.join(', ')
  return new ServiceError('method_not_allowed', {
    message: `${cutPath(path)} does not take ${method}. Use ${allow}.`,
    headers: { allow }
  })
}

/** Without origin and query: the query may hold a secret. */
function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/'
}

function cutPath(path: string): string {
  const printable = path.slice(0, maxShownPath).replace(/[^\x21-\x7e]/g, '?')
  return path.length > maxShownPath ? `${printable}…` : printable
}

/** The router reports a route for paths that cannot be decoded. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
