import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { operatorEvents } from '../notices/event-endpoints.ts'
import { acts } from './acts.ts'
import { adjustUsage } from './adjust-usage.ts'
import type { AdminContext, AdminOptions } from './admin-context.ts'
import { catalog } from './catalog.ts'
import { changeAccount } from './change-account.ts'
import { checkExport } from './check-export.ts'
import { ledgerComparison } from './compare-ledger.ts'
import { receiptComparison } from './compare-receipts.ts'
import { deleteAccount } from './delete-account.ts'
import { exportUsage } from './export-usage.ts'
import { listAccounts } from './list-accounts.ts'
import { money } from './money.ts'
import { pendingActs } from './pending-acts.ts'
import { projection } from './projection.ts'
import { requests } from './requests.ts'
import { reportedKeys } from './revoke-reported-key.ts'
import { showAccount } from './show-account.ts'
import { signOut } from './sign-out.ts'
import { suspend } from './suspend.ts'
import { system } from './system.ts'
import { webhooks } from './webhooks.ts'

/** How long a read of the ledger waits for others. */
const readWaitMs = 10_000

/** `/api/admin/*`: for operators. Nobody else can tell that these endpoints exist. */
export async function adminEndpoints(app: FastifyInstance, options: AdminOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const limit = concurrencyLimitFor(options.database, 'database_unavailable')
  const context: AdminContext = {
    ...options,
    limitReads: (read) => limit(read, AbortSignal.timeout(readWaitMs))
  }
  acts(typed, context)
  adjustUsage(typed, context)
  changeAccount(typed, context)
  pendingActs(typed, context)
  deleteAccount(typed, context)
  listAccounts(typed, context)
  showAccount(typed, context)
  signOut(typed, context)
  suspend(typed, context)
  catalog(typed, context)
  system(typed, context)
  money(typed, context)
  reportedKeys(typed, context)
  checkExport(typed)
  exportUsage(typed, context)
  requests(typed, context)
  ledgerComparison(typed, context)
  receiptComparison(typed, context)
  projection(typed, context)
  webhooks(typed, context)
  operatorEvents(typed, context)
}
