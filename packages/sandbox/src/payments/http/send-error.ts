import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, StripeApiError } from '../errors.ts'

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
