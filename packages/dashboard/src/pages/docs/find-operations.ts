import { type OpenApiDocument, type Operation, operationsOf } from '@tollgate/contracts/openapi/document.ts'

export interface FoundOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The part of an API that operators alone may call. */
const ofOperators = 'Operators'

/** The operations of a document for customers whose method, path, name or summary has each typed word, by tag. */
export function findOperations(
  document: OpenApiDocument,
  typed: string
): Array<readonly [tag: string, FoundOperation[]]> {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = operationsOf(document).filter(({ method, path, operation }) => {
    const text = `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return document.tags
    .filter(({ name }) => name !== ofOperators)
    .map(({ name }) => [name, found.filter(({ operation }) => operation.tags.includes(name))] as const)
    .filter(([, some]) => some.length > 0)
}
