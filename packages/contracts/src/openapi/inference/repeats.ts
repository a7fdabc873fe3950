import type { ErrorCode } from '../../errors/table.ts'
import type { Parameter } from '../document.ts'

/** Errors of requests with an `Idempotency-Key`. */
export const repeatErrors: ErrorCode[] = ['idempotency_key_reused', 'idempotency_answer_lost']

/** The header that makes a request repeatable. */
export const repeatKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random text. It is ignored if the operator has turned this off. For 10 minutes, a request with the same key and the ' +
    'same bytes gets the answer of the first one, and is not charged. While the first one runs, the repeat waits for it. It counts as ' +
    'a call that costs nothing. Only whole answers up to 256 KiB are kept. A repeat of another charged answer gets 409 ' +
    '`idempotency_answer_lost`, and so does one whose request may have been charged. Requests that failed run again. If the client disconnects from a stream, the gateway reads it to its ' +
    'end and charges all of it. Each API key has idempotency keys of its own; after a rotation, an answer comes back only with the secret that asked.',
  schema: { type: 'string', minLength: 1, maxLength: 255 }
}

/** Headers of an answer that was given before. */
export const repeatHeaders = {
  'idempotency-replayed': {
    description:
      'Present if this is the answer to an earlier request with the same `Idempotency-Key`. Nothing is charged for it.',
    schema: { enum: ['true'] }
  },
  'x-tollgate-original-request-id': {
    description: 'The `x-request-id` of that earlier request.',
    schema: { type: 'string' }
  }
}
