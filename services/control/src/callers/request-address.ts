import type { FastifyRequest } from 'fastify'

/** The e-mail address in a body whose schema requires one. */
export const addressOf = (request: FastifyRequest): string => (request.body as { email: string }).email
