import { setTimeout as delay } from 'node:timers/promises'
import type { LoggedRequest, RequestsResponse } from '@tollgate/contracts/http/requests.ts'
import type { Page } from 'playwright-core'
import type { Person } from '../person.ts'

const timeoutMs = 60_000

/** Waits until all parts of a page are loaded. Brings them into view: charts below it are not loaded. */
export async function untilLoaded(page: Page): Promise<void> {
  const loading = page.getByText('Loading…')
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const count = await loading.evaluateAll((elements) => {
      elements[0]?.scrollIntoView()
      return elements.length
    })
    if (count === 0) return
    await delay(50)
  }
  throw new Error(`${page.url()} was not loaded after ${timeoutMs / 1000} s`)
}

/** Chooses an option of a select by its text. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Advances the clock past the automatic retries, until the given number of parts show an error. */
export async function untilFailed(page: Page, parts: number): Promise<void> {
  const failures = page.getByRole('button', { name: 'Try again' })
  const deadline = performance.now() + 120_000
  while ((await failures.count()) < parts && performance.now() < deadline) await page.clock.fastForward(1000)
}

/**
 * Waits until the request log has a request of an account, since it follows requests by some seconds.
 *
 * @returns the newest one
 */
export async function untilLogged(person: Person, search = ''): Promise<LoggedRequest> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const { body } = await person.call<RequestsResponse>('GET', `/api/requests${search}`)
    const [newest] = body.requests
    if (newest !== undefined) return newest
    if (performance.now() > deadline) throw new Error('the request log has no such request')
    await delay(100)
  }
}

/** Advances the clock past the automatic attempts, until no part shows an error. */
export async function untilRecovered(page: Page): Promise<void> {
  const failures = page.getByRole('alert')
  const deadline = performance.now() + 120_000
  while ((await failures.count()) > 0 && performance.now() < deadline) await page.clock.fastForward(1000)
}

/** Fills in the sign-in form and sends it. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Fills in the checkout page of the payments server, and subscribes. */
export async function pay(page: Page): Promise<void> {
  await page.locator('[name=number]').fill('4242 4242 4242 4242')
  await page.locator('[name=expiry]').fill('12 / 40')
  await page.locator('[name=cvc]').fill('123')
  await page.locator('[name=name]').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Subscribe' }).click()
}
