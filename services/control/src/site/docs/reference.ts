import type { OpenApiDocument, Operation } from '@tollgate/contracts/openapi/document.ts'
import { operationsOf } from '@tollgate/contracts/openapi/document.ts'

/** One of the APIs in the reference. */
export interface ReferenceApi {
  /** The last part of the addresses of its pages. */
  readonly id: string
  readonly title: string
  /** What it is for, in a sentence. */
  readonly summary: string
  /** Where programs read its OpenAPI document. */
  readonly documentPath: string
  /** Where requests go. */
  readonly origin: string
  readonly document: OpenApiDocument
}

/** An operation with its place in the reference. */
export interface ReferencedOperation {
  readonly api: ReferenceApi
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The address of its page. */
  readonly href: string
}

/** A group of operations. */
export interface ReferenceGroup {
  readonly api: ReferenceApi
  readonly name: string
  readonly description: string
  readonly operations: readonly ReferencedOperation[]
}

/** The operations of all APIs, by API and then by group, in the order of the documents. */
export interface Reference {
  /** What customers may call. */
  readonly groups: readonly ReferenceGroup[]
  /** What only operators may call. Nothing leads there but the docs in the dashboard of operators. */
  readonly ofOperators: readonly ReferenceGroup[]
  readonly byAddress: ReadonlyMap<string, ReferencedOperation>
}

/** The group that operators alone may call. */
const ofOperators = 'Operators'

/** Arranges the operations of documents for readers. */
export function arrangeReference(apis: readonly ReferenceApi[]): Reference {
  const all = apis.flatMap((api): ReferenceGroup[] => {
    const operations = operationsOf(api.document)
    return api.document.tags.map(({ name, description }) => {
      const place = name === ofOperators ? 'operators' : api.id
      return {
        ...{ api, name, description },
        operations: operations
          .filter(({ operation }) => operation.tags[0] === name)
          .map((one) => ({ ...one, api, href: `/docs/api/${place}/${one.operation.operationId}` }))
      }
    })
  })
  const filled = all.filter(({ operations }) => operations.length > 0)
  return {
    groups: filled.filter(({ name }) => name !== ofOperators),
    ofOperators: filled.filter(({ name }) => name === ofOperators),
    byAddress: new Map(filled.flatMap(({ operations }) => operations.map((one) => [one.href, one] as const)))
  }
}
