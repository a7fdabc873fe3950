import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'

/** Creates an id like Stripe's: `prefix`, `_`, and random letters and digits. */
export const newId = (prefix: string, length = 24): string => `${prefix}_${randomBase62(length)}`
