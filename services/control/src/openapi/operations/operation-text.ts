import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { patterns } from '@tollgate/contracts/http/patterns.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'

/** What the document says about an operation beyond the schemas of its route. */
export interface OperationText {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /**
   * `session`: the cookie. `operator`: the cookie of an operator. `account`: the cookie or a management key. `signature`: the payment provider's.
   * `webhookSecret`: the identity provider's.
   */
  readonly auth: 'none' | 'session' | 'operator' | 'account' | 'signature' | 'webhookSecret'
  /** Whether the operation has a rate limit. */
  readonly isLimited?: true
  /** Whether it counts attempts, but does not answer 429. */
  readonly countsAttempts?: true
  /** Parameters that the schemas of its route lack. */
  readonly parameters?: readonly Parameter[]
  /** Failures of this operation alone. Those of its form, such as invalid JSON, are added. */
  readonly errors?: readonly ErrorCode[]
}

/** Operations by method and path, such as `GET /api/keys`. */
export type Operations = Readonly<Record<string, OperationText>>

/** `metadata.<name>=<value>` in a query. */
export const metadataFilter = (description: string): Parameter => ({
  name: 'metadata',
  in: 'query',
  description,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    patternProperties: { [patterns.metadataFilter]: { type: 'string', maxLength: 500 } },
    additionalProperties: false
  }
})

/** The header that makes a creation or a rotation repeatable. */
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random text. Within 24 hours, a request with the same one creates nothing, and gets 409 with the id of the key.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' }
}
