import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { acts } from './acts.ts'
import { adjustUsage } from './adjust-usage.ts'
import type { AdminOptions } from './admin-context.ts'
import { createOwnPasswordCheck } from './assert-own-password.ts'
import { catalog } from './catalog.ts'
import { changeAccount } from './change-account.ts'
import { ledgerComparison } from './compare-ledger.ts'
import { deleteAccount } from './delete-account.ts'
import { exportUsage } from './export-usage.ts'
import { listAccounts } from './list-accounts.ts'
import { money } from './money.ts'
import { projection } from './projection.ts'
import { revokeReportedKey } from './revoke-reported-key.ts'
import { showAccount } from './show-account.ts'
import { signOut } from './sign-out.ts'
import { suspend } from './suspend.ts'
import { system } from './system.ts'

/** `/api/admin/*`: for operators. Nobody else can tell that these endpoints exist. */
export async function adminEndpoints(app: FastifyInstance, options: AdminOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const context = { ...options, assertOwnPassword: createOwnPasswordCheck(app, options.identity, options.limits) }
  acts(typed, context)
  adjustUsage(typed, context)
  changeAccount(typed, context)
  deleteAccount(typed, context)
  listAccounts(typed, context)
  showAccount(typed, context)
  signOut(typed, context)
  suspend(typed, context)
  catalog(typed, context)
  system(typed, context)
  money(typed, context)
  revokeReportedKey(typed, context)
  exportUsage(typed, context)
  ledgerComparison(typed, context)
  projection(typed, context)
}
