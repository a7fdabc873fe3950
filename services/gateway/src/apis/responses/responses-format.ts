import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type ErrorFormat, openaiErrors } from '../../http/error-format.ts'
import type { AnswerFormat } from '../../relay/answer-format.ts'
import { describeRefusal } from '../../relay/read-refusal.ts'
import { ResponseBody } from './response-body.ts'
import { ResponsesEvents } from './responses-events.ts'

/** The errors of the Responses API: those of OpenAI, but within a stream an event of type `error`. */
const errors: ErrorFormat = {
  body: openaiErrors.body,
  event: ({ code, message }: ServiceError, { eventNumber }) => {
    const data = { type: 'error', code, message, param: null, sequence_number: eventNumber }
    return `event: error\ndata: ${JSON.stringify(data)}\n\n`
  },
  requestIdHeaders: openaiErrors.requestIdHeaders
}

/** The format of the Responses API. */
export const responsesFormat: AnswerFormat = {
  newBody: (_asked, length) => new ResponseBody(length),
  newEvents: ({ showsUsageCost }, call) =>
    new ResponsesEvents(() => call.hidden(), showsUsageCost ? () => call.costOfWhole() : null),
  errors,
  refusal: describeRefusal
}

/** The format of compacted conversations. They are not streamed. */
export const compactionFormat: AnswerFormat = {
  ...responsesFormat,
  newBody: (_asked, length) => new ResponseBody(length, 'response.compaction')
}
