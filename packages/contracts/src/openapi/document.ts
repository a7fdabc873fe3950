/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: JsonSchema
}
export type Content = Record<string, { schema?: JsonSchema }>
export type Response = { description: string; headers?: Record<string, unknown>; content?: Content }

export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Alternatives; none for an operation that anybody may call. */
  security: Array<Record<string, string[]>>
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  /** By status. */
  responses: Record<string, Response>
}

/** An OpenAPI 3.1 document, as far as ours go. */
export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; description: string }
  servers?: Array<{ url: string; description?: string }>
  tags: Array<{ name: string; description: string }>
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> }
}

/** Every operation of a document, in its order. */
export function operationsOf(document: OpenApiDocument): Array<{ method: string; path: string; operation: Operation }> {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
}
