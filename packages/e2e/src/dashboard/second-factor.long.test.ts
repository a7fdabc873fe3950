import assert from 'node:assert/strict'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import type { Page } from 'playwright-core'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

const stepMs = 30_000
/** Each code works once. The provider also accepts the code of the next step. */
const codeNow = (secret: string) => totpCode(secret, Date.now())
const codeOfNextStep = (secret: string) => totpCode(secret, Date.now() + stepMs)

t.test('a person turns the second factor on, and signs in with a code', async () => {
  if (browser === null) return
  const ada = await new Person(system, 'ada').join()
  const { page, context, complaints, foreign } = await visit(browser, system, { person: ada })
  const dialog = page.getByRole('dialog')
  await page.goto('/dashboard/account')
  await page.getByText('The second factor is off.').waitFor()
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await dialog.getByLabel('Password', { exact: true }).fill('wrong')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The current password is wrong.').waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill(ada.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  const secret = (await dialog.locator('code').textContent()) ?? ''
  assert.match(secret, /^[A-Z2-7]{32}$/)
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByText('Enter the 6 digits that your app shows.').waitFor()
  const code = codeNow(secret)
  await dialog.getByLabel('Code', { exact: true }).fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const list = dialog.getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allTextContents()
  assert.equal(codes.length, 10)
  await page.keyboard.press('Escape')
  await page.emulateMedia({ colorScheme: 'light' })
  assert.deepEqual(await accessibilityProblems(page), [], 'recovery codes')
  await dialog.getByRole('button', { name: 'I saved them' }).click()
  await page.getByText('The second factor is on.', { exact: true }).waitFor()
  await page.getByText('10 recovery codes left.').waitFor()
  assert.ok(!(await page.content()).includes(secret), 'the page no longer has the secret')

  await context.clearCookies()
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel('Password', { exact: true }).fill(ada.password)
  assert.equal(
    await page.getByLabel('Code', { exact: true }).count(),
    0,
    'users without a second factor are not asked for a code'
  )
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor()
  assert.equal(
    await page.getByLabel('Password', { exact: true }).inputValue(),
    ada.password,
    'the typed password stays'
  )
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The code is wrong, too old or already used.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(codeOfNextStep(secret))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  // A call that is refused after the cookies are gone would lead to the sign-in page by itself.
  await page.waitForLoadState('networkidle')
  await loseThePhone(page, ada, codes[0] ?? '')
  assert.deepEqual([...complaints, ...foreign], [])
  await context.close()
})

/** Signs in with a recovery code, and turns the second factor off with the password alone. */
async function loseThePhone(page: Page, { email, password }: Person, recoveryCode: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  // Elsewhere, because the account page goes to sign-in by itself once it notices.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto('/login?next=/dashboard/account')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code', { exact: true }).and(page.locator(':focus')).fill(recoveryCode.toUpperCase())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('You signed in with a recovery code').waitFor()
  await page.getByText('9 recovery codes left.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  assert.equal(await dialog.getByLabel('Code', { exact: true }).count(), 0)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('The second factor is off.', { exact: true }).first().waitFor()
}

t.test('a person turns the second factor off', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { password } = bob
  const made = await bob.call<{ secret: string }>('POST', '/api/auth/second-factor', { password })
  const { secret } = made.body
  const on = await bob.call('POST', '/api/auth/second-factor/confirm', { password, code: codeNow(secret) })
  assert.equal(on.status, 200)
  const { page, context, complaints } = await visit(browser, system, { person: bob })
  const dialog = page.getByRole('dialog')
  await page.goto('/dashboard/account')
  await page.getByText('The second factor is on.').waitFor()
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByLabel('Code', { exact: true }).fill(codeOfNextStep(secret))
  assert.deepEqual(await accessibilityProblems(page), [])
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('The second factor is off.', { exact: true }).first().waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
