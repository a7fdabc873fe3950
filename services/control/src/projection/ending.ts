import type { KeyRecord } from '@tollgate/contracts/records/records.ts'

/**
 * How a secret of a key ended after the state to which PostgreSQL was restored: the key was revoked, or it got another secret.
 */
export type Ending =
  | { readonly kind: 'revoked' }
  | {
      readonly kind: 'rotated'
      /** Of the present secret. */
      readonly digest: string
      /** The grace of the secret before. */
      readonly previous: KeyRecord['previous']
    }
