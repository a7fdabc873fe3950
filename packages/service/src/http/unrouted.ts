import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Methods that an endpoint of either service may have, besides OPTIONS. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const maxShownPath = 100

type Unrouted = {
  readonly method: string
  /** The request target, as it came. */
  readonly url: string
  readonly isRouted: (method: string, path: string) => boolean
  /** Of a path that no method has. */
  readonly notFoundCode: 'unknown_endpoint' | 'not_found'
  /** A sentence that says what to use instead. */
  readonly adviceFor?: (path: string) => string
}

/** The failure of a request that no route takes: 405 if its path has only other methods, else 404. */
export function failureOfUnrouted({ method, url, isRouted, notFoundCode, adviceFor }: Unrouted): ServiceError {
  const path = pathOf(url)
  // The endpoint of a route may find nothing itself: a file that does not exist.
  const isUnknown = !isDecodable(path) || isRouted(method, path)
  const allowed = isUnknown ? [] : methods.filter((other) => isRouted(other, path))
  if (allowed.length === 0) {
    const advice = adviceFor === undefined ? '' : ` ${adviceFor(path)}`
    return new ServiceError(notFoundCode, { message: `There is no endpoint ${method} ${shown(path)}.${advice}` })
  }
  if (isRouted('OPTIONS', path)) allowed.push('OPTIONS')
  const allow = allowed.join(', ')
  return new ServiceError('method_not_allowed', {
    message: `${shown(path)} does not take ${method}. Use ${allow}.`,
    headers: { allow }
  })
}

/** Without origin and query: the query may hold a secret. */
function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/'
}

function shown(path: string): string {
  const printable = path.slice(0, maxShownPath).replace(/[^\x21-\x7e]/g, '?')
  return path.length > maxShownPath ? `${printable}…` : printable
}

/** Routers take what cannot be decoded for a route of its own. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
