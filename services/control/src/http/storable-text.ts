import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'

/**
 * Refuses requests with text that no database can give back as it was: NUL, which PostgreSQL does not store, and halves
 * of surrogate pairs, which have no form in UTF-8. So every text that reaches a handler can be stored and compared.
 */
export function refuseUnstorableText(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    // What no route takes is answered as such, and reaches nothing.
    if (request.is404) return done()
    const where = findUnstorable(request.params) ?? findUnstorable(request.query) ?? findUnstorable(request.body)
    if (where === null) done()
    else done(new ServiceError('invalid_request', { message: `${where}: has characters that are not allowed` }))
  })
}

/**
 * Where in a value of JSON the first text is that cannot be stored: its path, such as `metadata.tenant`; null if there is
 * none. Values may be nested to any depth.
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
