import type { OperationName } from './call.ts'

interface EarlyRead {
  /** The addresses of the pages. */
  readonly page: RegExp
  readonly operation: OperationName
  /** In the order in which the page sends it: the browser compares addresses. */
  readonly query?: Readonly<Record<string, string>>
}

const anyPage = /^\/dashboard(\/|$)/

/**
 * What pages read first. The browser requests it together with the code, not after it, and `startEarlyReads` takes it into
 * the cache before the page is rendered: so the page is rendered once. No test finds entries that a page no
 * longer reads: check them when its first reads change.
 */
export const earlyReads: readonly EarlyRead[] = [
  { page: anyPage, operation: 'getUser' },
  { page: anyPage, operation: 'getAccount' },
  { page: /^\/dashboard$/, operation: 'getSetup' },
  { page: /^\/dashboard$/, operation: 'listEvents', query: { limit: '50' } },
  { page: /^\/dashboard$/, operation: 'getUsageSummary' },
  { page: /^\/dashboard(\/billing)?$/, operation: 'getPlan' },
  { page: /^\/dashboard\/billing$/, operation: 'listPlans' },
  { page: /^\/dashboard\/limits$/, operation: 'getLimits' },
  { page: /^\/dashboard\/(models|playground|docs(\/(?!api)\w+)?)$/, operation: 'listPricedModels' },
  { page: /^\/dashboard\/team$/, operation: 'getTeam' },
  { page: /^\/invitations\//, operation: 'getUser' }
]
