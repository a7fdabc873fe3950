import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { Person } from '../../person.ts'
import { type Visit, visit } from '../browser.ts'
import { browser, system } from '../world.ts'

export interface OperatorVisit extends Visit {
  readonly operator: Person
}

/** Opens a window that is signed in as a new operator. */
export async function visitAsOperator(options: BrowserContextOptions = {}): Promise<OperatorVisit> {
  const operator = await new Person(system, 'olga').joinAsOperator()
  return { ...(await visit(browser!, system, { person: operator, ...options })), operator }
}

/** Replaces the answer to the next `POST` to an address by an error. @param reachesControl whether control gets the call nevertheless */
export async function failNext(
  context: BrowserContext,
  address: string,
  code: ErrorCode,
  reachesControl: boolean
): Promise<void> {
  const error = new ServiceError(code)
  let isDone = false
  await context.route(address, async (route) => {
    if (isDone || route.request().method() !== 'POST') return route.fallback()
    isDone = true
    if (reachesControl) await route.fetch()
    return route.fulfill({ status: error.status, headers: { 'retry-after': '2' }, json: error.toBody() })
  })
}
