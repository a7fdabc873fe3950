import type { FastifyRequest } from 'fastify'

/** The e-mail address in a body that has been found to have one. */
export const addressOf = (request: FastifyRequest): string => (request.body as { email: string }).email
