import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** What the body of a failure may say of its request. */
export interface FailureContext {
  /** The documentation that errors link to; null for none. */
  readonly docsUrl: string | null
  readonly requestId: string
}

/** How an API writes its errors. */
export interface ErrorFormat {
  /** The JSON body of a failure. */
  readonly body: (failure: ServiceError, context: FailureContext) => string
  /** The event of a failure after a stream has begun, with its blank line. */
  readonly event: (failure: ServiceError, context: FailureContext & { readonly eventNumber: number }) => string
  /** The headers of all answers that name the request. */
  readonly requestIdHeaders: readonly string[]
}

/** The errors of OpenAI's API, and of all endpoints without another format. */
export const openaiErrors: ErrorFormat = {
  body: (failure, { docsUrl }) => JSON.stringify(failure.toBody(docsUrl)),
  event: (failure, { docsUrl }) => `data: ${JSON.stringify(failure.toBody(docsUrl))}\n\n`,
  requestIdHeaders: ['x-request-id']
}
