import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'

/**
 * Refuses requests whose `Host` is not in `ALLOWED_HOSTS`, with any port. It stops DNS rebinding: a website makes its own name
 * resolve to a server that only listens on this machine, and its scripts then read that server's pages as their own.
 *
 * @param hosts in lower case, without ports; empty: every host is served, since the proxy in front chooses it
 */
export function refuseOtherHosts(app: FastifyInstance, hosts: readonly string[]): void {
  if (hosts.length === 0) return
  const allowed = new Set(hosts)
  app.addHook('onRequest', (request, _reply, done) => {
    const name = (request.raw.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    done(allowed.has(name) ? undefined : new ServiceError('unknown_host', { headers: { connection: 'close' } }))
  })
}
