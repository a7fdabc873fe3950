import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'

/** Creates an id like OpenAI's: a prefix such as `chatcmpl-`, then 24 letters and digits. */
export const randomId = (prefix: string): string => prefix + randomBase62(24)
