import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'

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
  /** Failures of this operation alone. Those of its form, such as invalid JSON, are added. */
  readonly errors?: readonly ErrorCode[]
}

/** Operations by method and path, such as `GET /api/keys`. */
export type Operations = Readonly<Record<string, OperationText>>
