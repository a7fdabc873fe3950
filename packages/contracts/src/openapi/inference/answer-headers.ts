import type { Parameter } from '../document.ts'

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

/** The request header that asks for the cost of a stream. */
export const showsCost: Parameter = {
  name: 'x-tollgate-cost',
  in: 'header',
  description: 'With `true`, a stream ends with a comment that has its cost: `: x-tollgate-cost 0.000123`.',
  schema: { enum: ['true'] }
}
