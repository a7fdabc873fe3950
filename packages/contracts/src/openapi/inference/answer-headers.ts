import type { ErrorCode } from '../../errors/table.ts'
import type { Content, Parameter } from '../document.ts'
import type { schemas } from './schemas.ts'

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

/**
 * A stream of server-sent events. OpenAPI 3.1 has no schema for their data, so `x-event-data` refers to it.
 *
 * @param event schema of the JSON in each `data:`
 * @param description how the stream ends
 */
export const eventStream = (event: keyof typeof schemas, description: string): Content => ({
  'text/event-stream': {
    schema: { type: 'string', description, 'x-event-data': { $ref: `#/components/schemas/${event}` } }
  }
})

/** Headers of every answer. */
export const requestIdHeader = {
  'x-request-id': { description: 'Name it when you ask for help with this request.', schema: { type: 'string' } }
}

/** Also in answers in the format of Anthropic's API. */
export const messageIdHeader = {
  'request-id': { description: 'The same as `x-request-id`.', schema: { type: 'string' } }
}

/** Headers of every error. */
export const retryHeaders = {
  ...requestIdHeader,
  'x-should-retry': {
    description: 'Whether a retry of the same request may succeed.',
    schema: { enum: ['true', 'false'] }
  },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } }
}

const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })
const duration = (description: string) => ({
  description,
  schema: { type: 'string', examples: ['20ms', '1.5s', '1m0s'] }
})

/** The rates of the key, in answers to admitted requests and in refusals because of a rate. */
export const rateHeaders = {
  'x-ratelimit-limit-requests': count('Requests that the key may make in a minute.'),
  'x-ratelimit-limit-tokens': count('Tokens that the account may use in a minute.'),
  'x-ratelimit-remaining-requests': count('Requests that you may send at once now.'),
  'x-ratelimit-remaining-tokens': count('Tokens that you may send at once now.'),
  'x-ratelimit-reset-requests': duration('Time until the whole burst of requests is available again.'),
  'x-ratelimit-reset-tokens': duration('Time until the whole burst of tokens is available again.')
}

const dollars = { type: 'string', pattern: '^(0|[1-9][0-9]*)(\\.[0-9]{1,9})?$' }

/** What a request cost, in answers that called a model. */
export const costHeaders = {
  'x-tollgate-cost': {
    description:
      'US dollars that the request is charged. A stream has it in its last comment, if the request asks for it.',
    schema: dollars
  },
  'x-tollgate-budget-remaining': {
    description: "US dollars left of the key's or the account's budget for the month, whichever has less left.",
    schema: dollars
  }
}

/** The request header that asks for the cost, where the usage may have it. */
export const showsUsageCost: Parameter = {
  name: 'x-tollgate-cost',
  in: 'header',
  description:
    'With `true`, the `usage` of the answer has `cost`, in US dollars. A stream has its usage only if the request asks for it; it also ends ' +
    'with a comment that has its cost: `: x-tollgate-cost 0.000123`.',
  schema: { enum: ['true'] }
}

/** The request header that asks for the cost of a stream. */
export const showsCost: Parameter = {
  name: 'x-tollgate-cost',
  in: 'header',
  description: 'With `true`, a stream ends with a comment that has its cost: `: x-tollgate-cost 0.000123`.',
  schema: { enum: ['true'] }
}
