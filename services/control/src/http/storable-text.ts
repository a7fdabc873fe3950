import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'

/**
 * Refuses requests with text that no database can return unchanged: NUL, which PostgreSQL does not store, and lone
 * surrogates, which UTF-8 cannot encode. So every text that reaches a handler can be stored and compared.
 */
export function refuseUnstorableText(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    // Requests without a route get 404 and reach no handler.
    if (request.is404) return done()
    const where = findUnstorable(request.params) ?? findUnstorable(request.query) ?? findUnstorable(request.body)
    if (where === null) done()
    else done(new ServiceError('invalid_request', { message: `${where}: has characters that are not allowed` }))
  })
}

/**
 * Finds the first text in a JSON value that cannot be stored. Values may be nested to any depth.
 *
 * @returns its path, such as `metadata.tenant`, or null
 */
export function findUnstorable(value: unknown): string | null {
  const rest: Array<[path: string, value: unknown]> = [['', value]]
  for (let entry = rest.pop(); entry !== undefined; entry = rest.pop()) {
    const [path, found] = entry
    if (typeof found === 'string') {
      if (!isStorable(found)) return path
    } else if (typeof found === 'object' && found !== null && !ArrayBuffer.isView(found)) {
      for (const [name, member] of Object.entries(found)) {
        if (!isStorable(name)) return path === '' ? 'a name' : `${path}: a name`
        rest.push([path === '' ? name : `${path}.${name}`, member])
      }
    }
  }
  return null
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
