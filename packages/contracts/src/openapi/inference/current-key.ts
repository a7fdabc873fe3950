import type { Operation } from '../document.ts'
import { errorResponses } from '../error-responses.ts'
import { retryHeaders } from './answer-headers.ts'
import { messageSecurity } from './messages.ts'
import { eitherError, ids, version } from './models.ts'
import { json, type schemas } from './schemas.ts'
import { keyErrors } from './shared.ts'

const aboutNumbers =
  'The numbers are those by which the next request is admitted or refused. It costs nothing, and also works when a budget is spent. '

const readOfKey = (
  operationId: string,
  summary: string,
  description: string,
  answer: keyof typeof schemas
): Operation => ({
  operationId,
  summary,
  description: description + aboutNumbers,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [{ ...version, description: "Asks for errors in the format of Anthropic's API." }],
  responses: {
    200: { description: 'Success', headers: ids, content: json(answer) },
    ...errorResponses([...keyErrors, 'requests_per_minute'], { ...retryHeaders, ...ids }, eitherError)
  }
})

export const getCurrentKey = readOfKey(
  'getCurrentKey',
  'Get what the key may use, and what is left of it',
  'Where the key and the account have a limit, `limits` has the one that refuses first. The last members have the names ' +
    'that OpenRouter has. ',
  'CurrentKey'
)

export const getCredits = readOfKey(
  'getCredits',
  "Get the account's budget for the month, and what is spent of it",
  'The members have the names that OpenRouter has: `total_credits` minus `total_usage` is left. Reservations of running requests are not ' +
    'subtracted. ',
  'Credits'
)
