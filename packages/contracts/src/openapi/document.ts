/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  /** How a value with several parts is written. */
  style?: string
  explode?: boolean
  schema?: JsonSchema
}
export type Content = Record<string, { schema?: JsonSchema }>
export interface Response {
  description: string
  headers?: Record<string, unknown>
  content?: Content
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Alternatives; empty for an operation that needs no credential. */
  security: Array<Record<string, string[]>>
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  /** By status. */
  responses: Record<string, Response>
}

/** A message that the service sends to others. */
export type WebhookMessage = Pick<
  Operation,
  'summary' | 'description' | 'tags' | 'parameters' | 'requestBody' | 'responses'
>

/** The parts of an OpenAPI 3.1 document that our documents use. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  servers?: Array<{ url: string; description?: string }>
  tags: Array<{ name: string; description: string }>
  paths: Record<string, Record<string, Operation>>
  /** Messages that the service sends, by name. */
  webhooks?: Record<string, { post: WebhookMessage }>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> }
}

/** Lists the operations of a document, in their order. */
export function operationsOf(document: OpenApiDocument): Array<{ method: string; path: string; operation: Operation }> {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
}
