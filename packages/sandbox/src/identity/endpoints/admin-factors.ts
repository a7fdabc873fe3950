import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inTransaction } from '../../open-sqlite.ts'
import { findFactor, saveFactors } from '../accounts/factors.ts'
import type { IdentityContext } from '../context.ts'
import { findUser } from './admin-users.ts'

/** `/admin/users/:id/factors`: an operator sees and removes second factors, for instance after a device was lost. */
export function registerAdminFactors(app: FastifyInstance, context: IdentityContext): void {
  app.get('/admin/users/:id/factors', async (request) =>
    (findUser(context, request).factors ?? []).map(({ factor }) => factor)
  )

  app.delete('/admin/users/:id/factors/:factorId', async (request) =>
    inTransaction(context.database, () => {
      const user = findUser(context, request)
      const found = findFactor(user, factorIdOf(request))
      saveFactors(
        context,
        user,
        (user.factors ?? []).filter((one) => one !== found)
      )
      return found.factor
    })
  )
}

const factorIdOf = (request: FastifyRequest): string => (request.params as { factorId: string }).factorId.toLowerCase()
