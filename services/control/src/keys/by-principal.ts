import type { FastifyRequest } from 'fastify'
import type { By } from '../audit/record-audit.ts'
import { principalOf } from '../callers/principal.ts'

/** The caller of a request behind `requireAccount`, for the audit log. */
export function byPrincipal(request: FastifyRequest, at: Date): By & { detail: { by_key?: string } } {
  const { userId, keyId } = principalOf(request)
  return { actorId: userId, ip: request.ip, at, detail: keyId === null ? {} : { by_key: keyId } }
}
