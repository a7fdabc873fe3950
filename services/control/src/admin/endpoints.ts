import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { acts } from './acts.ts'
import type { AdminOptions } from './admin-context.ts'
import { createOwnPasswordCheck } from './assert-own-password.ts'
import { ledgerComparison } from './compare-ledger.ts'
import { exportUsage } from './export-usage.ts'
import { projection } from './projection.ts'

/** `/api/admin/*`: for operators. Nobody else can tell that these endpoints exist. */
export async function adminEndpoints(app: FastifyInstance, options: AdminOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const context = { ...options, assertOwnPassword: createOwnPasswordCheck(app, options.identity, options.limits) }
  acts(typed, context)
  exportUsage(typed, context)
  ledgerComparison(typed, context)
  projection(typed, context)
}
