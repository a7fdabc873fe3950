import { version } from '@tollgate/service/workspace.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'

const Alive = Type.Object({ ok: Type.Literal(true), version: Type.String() })

/**
 * `GET /livez` on the public port answers 200 with the version. Load balancers and monitors outside check it: control listens
 * there only while it serves. Everything else about its state is on the admin port.
 */
export function answerLivez(app: FastifyInstance): void {
  app.get(
    '/livez',
    {
      logLevel: 'warn',
      schema: {
        operationId: 'livez',
        summary: 'Check that the process runs',
        response: { 200: Alive }
      }
    },
    async () => ({ ok: true, version })
  )
}
