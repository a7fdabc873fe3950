import type { BrowserContextOptions } from 'playwright-core'
import t from 'tap'
import { Person } from '../../person.ts'
import { type Visit, visit } from '../browser.ts'
import { browser, system } from '../world.ts'
import { StubAdminApi } from './stub-admin-api.ts'

/** The operator of the tests, and a customer of the service. */
export let operator: Person
export const customer = {
  email: 'carla@example.com',
  keyLabel: 'Production',
  keyValue: `tg_${'Qm3xT9aB'.padEnd(49, '0')}`
}
let operatorId = ''

t.before(async () => {
  if (browser === null) return
  operator = await new Person(system, 'olga').joinAsOperator()
  operatorId = (await operator.me()).body.user.id
})

export interface OperatorVisit extends Visit {
  readonly admin: StubAdminApi
}

/**
 * Opens a window that is signed in as the operator, at the system that the tests use. This is the one place that decides what
 * answers the admin API.
 */
export async function visitAsOperator(options: BrowserContextOptions = {}): Promise<OperatorVisit> {
  const window = await visit(browser!, system, { person: operator, ...options })
  const admin = new StubAdminApi({ id: operatorId, email: operator.email, password: operator.password }, customer)
  await admin.answer(window.context)
  return { ...window, admin }
}
