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

/** Operations that customers may call, by API and then by group, in the order of the documents. */
export interface Reference {
  readonly groups: ReadonlyArray<{
    readonly api: ReferenceApi
    readonly name: string
    readonly description: string
    readonly operations: readonly ReferencedOperation[]
  }>
  readonly byAddress: ReadonlyMap<string, ReferencedOperation>
}

/** The group that operators alone may call. */
const ofOperators = 'Operators'

/** Arranges the operations of documents for readers. */
export function arrangeReference(apis: readonly ReferenceApi[]): Reference {
  const groups = apis.flatMap((api) => {
    const operations = operationsOf(api.document).map((one) => ({
      ...one,
      api,
      href: `/docs/api/${api.id}/${one.operation.operationId}`
    }))
    return api.document.tags
      .filter(({ name }) => name !== ofOperators)
      .map(({ name, description }) => ({
        api,
        name,
        description,
        operations: operations.filter(({ operation }) => operation.tags[0] === name)
      }))
      .filter(({ operations: some }) => some.length > 0)
  })
  return {
    groups,
    byAddress: new Map(groups.flatMap(({ operations }) => operations.map((one) => [one.href, one] as const)))
  }
}
