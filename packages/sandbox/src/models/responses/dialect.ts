import { errorForStatus } from '../api-error.ts'
import { authorizeBearer, type Dialect, failureMessage, openaiHeaders, openaiModels } from '../dialect.ts'

/** The dialect of OpenAI's responses. Their streams have no `[DONE]`. */
export const responsesDialect: Dialect = {
  authorize: authorizeBearer,
  models: openaiModels,
  namesEvents: true,
  streamEnd: '',
  headers: openaiHeaders,
  errorBody: (error) => error.body,
  errorForStatus,
  errorEvent: (sent) => ({
    type: 'error',
    code: 'server_error',
    message: failureMessage,
    param: null,
    sequence_number: sent
  })
}
