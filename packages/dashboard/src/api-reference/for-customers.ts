import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'

/** The part of an API that operators alone may call. */
const ofOperators = 'Operators'

/** A document without what customers cannot call. */
export function forCustomers(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const ofCustomers = Object.entries(methods).filter(([, { tags }]) => !tags.includes(ofOperators))
    return [path, Object.fromEntries(ofCustomers)] as const
  })
  return {
    ...document,
    tags: document.tags.filter(({ name }) => name !== ofOperators),
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0))
  }
}
