import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** The member `error` of an error response. */
export interface ErrorBody {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
}

/** An error response of Stripe's API. */
export class StripeApiError extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.name = 'StripeApiError'
    this.status = status
    this.body = body
  }
}

/** 400: the request is invalid. */
export function invalidRequest(message: string, details: Pick<ErrorBody, 'code' | 'param'> = {}): StripeApiError {
  return new StripeApiError(400, { type: 'invalid_request_error', message, ...details })
}

/** 400: a parameter names an object that does not exist. `noun` as in "No such price". */
export function missingReference(noun: string, id: string, param: string): StripeApiError {
  return invalidRequest(`No such ${noun}: '${id}'`, { code: 'resource_missing', param })
}

/** 404: the path names an object that does not exist. */
export function missingResource(noun: string, id: string): StripeApiError {
  return new StripeApiError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${noun}: '${id}'`,
    param: 'id'
  })
}

/** 404: the customer's subscription will create no further invoice. */
export function noUpcomingInvoice(customer: string): StripeApiError {
  return new StripeApiError(404, {
    type: 'invalid_request_error',
    code: 'invoice_upcoming_none',
    message: `No upcoming invoices for customer: ${customer}`
  })
}

/** 402: the card was declined. `param` names the field to correct. */
export function cardDeclined(message: string, declineCode: string): StripeApiError {
  return new StripeApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: declineCode,
    message,
    param: 'number'
  })
}

/** Sends every error as Stripe does: JSON with the member `error`. */
export function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = describe(error)
  if (status >= 500) request.log.error(error)
  return reply.code(status).type('application/json').send(errorJson(body))
}

/** The body of an error response. */
export function errorJson(body: ErrorBody): string {
  const docUrl = body.code && `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}`
  return JSON.stringify({ error: { ...body, ...(docUrl && { doc_url: docUrl }) } }, null, 2)
}

function describe(error: FastifyError | Error): StripeApiError {
  if (error instanceof StripeApiError) return error
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  return status >= 400 && status < 500
    ? new StripeApiError(status, { type: 'invalid_request_error', message: error.message })
    : new StripeApiError(500, {
        type: 'api_error',
        message: 'An unknown error occurred in the embedded payments server.'
      })
}
