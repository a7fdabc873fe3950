import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { AdminRequestResponse } from '@tollgate/contracts/http/requests.ts'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { Person } from '../../person.ts'
import { type Visit, visit } from '../browser.ts'
import { checkPage } from '../check-page.ts'
import { choose, untilLogged } from '../use-page.ts'
import { browser, system } from '../world.ts'

export interface OperatorVisit extends Visit {
  readonly operator: Person
}

/** Opens a window that is signed in as a new operator. */
export async function visitAsOperator(options: BrowserContextOptions = {}): Promise<OperatorVisit> {
  const operator = await new Person(system, 'olga').joinAsOperator()
  return { ...(await visit(browser!, system, { person: operator, ...options })), operator }
}

/**
 * Replaces the answer to the next `POST` to an address by an error.
 *
 * @param reachesControl whether control gets the call nevertheless
 */
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

/**
 * Finds a request of a customer from the page of their account and by its id alone.
 *
 * @param page shows the customer's account, also afterwards
 * @param customer has a served request
 */
export async function readRequests(page: Page, operator: Person, customer: Person): Promise<void> {
  const { id } = await untilLogged(customer)
  const { request } = (await operator.call<AdminRequestResponse>('GET', `/api/admin/requests/${id}`)).body
  const main = page.getByRole('main')
  const receipt = async () => {
    await page.getByRole('heading', { name: 'Request', level: 1 }).waitFor()
    await page.getByText(id, { exact: true }).waitFor()
    await main.getByRole('link', { name: customer.email }).waitFor()
  }

  await main.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByRole('heading', { name: 'Requests of an account', level: 1 }).waitFor()
  await choose(page, 'Status', 'Failed (5xx)')
  await page.getByText('No matching requests').waitFor()
  await choose(page, 'Status', 'Successful (2xx)')
  await choose(page, 'Key', 'Production')
  const row = page.getByRole('row').filter({ hasText: request.model! })
  await row.getByText(request.upstream!, { exact: true }).waitFor()
  await checkPage(page, 'the requests of an account')
  const exporting = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  assert.ok(readFileSync(await (await exporting).path(), 'utf8').includes(id))

  await row.getByRole('link').press('Enter')
  await receipt()
  await checkPage(page, 'the request of an account')
  await main.getByRole('link', { name: 'Requests of the account' }).click()
  await row.waitFor()
  const { searchParams } = new URL(page.url())
  assert.deepEqual(
    [searchParams.get('status'), searchParams.get('key')],
    ['2xx', request.key_id],
    'the link back keeps the filters'
  )

  await page.getByRole('navigation').getByRole('link', { name: 'Accounts', exact: true }).click()
  await page.getByLabel('Open a request by its id').fill(`x-request-id: ${id}`)
  await page.keyboard.press('Enter')
  await receipt()
  await page.goto('/dashboard/operator/requests/req_00000000-0000-4000-8000-000000000000')
  await page.getByText('There is no such request in the log').waitFor()
  await page.goBack()
  await main.getByRole('link', { name: customer.email }).click()
  await page.getByRole('heading', { name: customer.email, level: 1 }).waitFor()
}
