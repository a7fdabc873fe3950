import assert from 'node:assert/strict'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import t from 'tap'
import { visit } from './browser.ts'
import { checkPage } from './check-page.ts'
import { choose, pay } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

const email = `ada-${crypto.randomUUID().slice(0, 8)}@example.com`
const password = 'correct horse battery staple'

t.test(
  'a browser session covers everything from registration to a paid plan and a revoked key, with two accessible pages',
  async () => {
    if (browser === null) return
    const window = await visit(browser, system)
    const { page, context, complaints, foreign } = window
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const go = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()

    await page.goto('/dashboard/keys')
    await heading('Sign in')
    await checkPage(page, 'Sign in')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await button('Create account').click()
    for (const problem of ['Enter your e-mail address.', 'Choose a password.']) {
      await page.getByText(problem, { exact: true }).waitFor()
    }
    assert.equal(await page.getByLabel('E-mail address').getAttribute('aria-invalid'), 'true')
    // The first invalid field gets the focus with the next frame.
    await page.locator('[name=email]:focus').waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await button('Create account').click()
    await heading('Check your e-mail')
    const mailbox = page.getByRole('link', { name: 'Open the demo’s mailbox' })
    assert.equal(await mailbox.getAttribute('href'), system.addresses.mailbox)

    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await heading('Sign in')
    assert.equal(new URL(page.url()).searchParams.get('next'), '/dashboard/keys')
    const signIn = async (typed: string) => {
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(typed)
      await button('Sign in').click()
    }
    await signIn('wrong')
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor()
    await signIn(password)
    await page.getByText('Confirm your e-mail address first').waitFor()
    // As in a browser that did not register. It keeps the page to return to, however.
    await context.clearCookies({ name: 'svc_registration' })
    await page.goto(String(linkIn(await latestMail(system.addresses.mailbox!, email))))
    await heading('Confirm your e-mail address')
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address')
    await button('Confirm and sign in').click()
    await page.getByText('Enter your password.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('wrong password')
    await button('Confirm and sign in').click()
    await heading('This address was registered with a different password')
    await button('Enter another password').click()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await button('Confirm and sign in').click()
    await page.waitForURL(/\/dashboard\/keys$/)
    await heading('Keys')
    await go('Overview')
    await page.getByText('Create an API key').waitFor()
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.getByText('Confirm your e-mail address (done)').waitFor()
    await steps.getByRole('link', { name: 'Create a key' }).click()
    await page.getByRole('dialog', { name: 'Create' }).waitFor()
    await button('Cancel').click()

    await go('Keys')
    await page.getByText('No keys yet').waitFor()
    await button('Create key').click()
    assert.equal(await page.getByLabel('Label').inputValue(), 'My first key')
    await page.getByLabel('Label').fill('')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Enter a label that says what the key is for.').waitFor()
    await page.getByLabel('Label').fill('My <b>first</b> key')
    await page.getByText('More settings').click()
    await page.getByLabel('Only selected models').check()
    await page.getByLabel('gpt-4o-mini').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const secret = (await page.locator('[data-secret]').textContent()) ?? ''
    assert.match(secret, /^tg_[0-9A-Za-z]{49}$/)
    assert.ok(String(await page.getByRole('region', { name: 'the curl snippet' }).textContent()).includes(secret))
    await page.keyboard.press('Escape')
    await page.evaluate('history.back()')
    assert.ok(await page.locator('[data-secret]').isVisible(), 'a secret does not close by accident')
    await button('Done').click()
    await page.getByRole('heading', { name: 'My <b>first</b> key' }).waitFor()
    await checkPage(page, 'Keys', { alsoDark: { width: 1280, height: 800 } })
    assert.ok(!(await page.content()).includes(secret), 'the page no longer has the secret')

    await go('Playground')
    await choose(page, 'Model', 'gpt-4o-mini')
    await page.context().route('**/v1/chat/completions', (route) => route.abort(), { times: 1 })
    await page.getByRole('textbox', { name: 'Message' }).fill('Say 20 words.')
    await page.keyboard.press('Enter')
    const turns = page.getByRole('log').getByRole('listitem')
    await turns.getByText('The gateway cannot be reached.').waitFor()
    await button('Retry').click()
    await turns.getByText('First token').waitFor()
    assert.match(String(await turns.textContent()), /Cost\$0\.0\d+Input\d+ tokensOutput\d+ tokens/)
    assert.doesNotMatch(await page.content(), /\btg_\w/, 'the token is not in the HTML of the page')

    await go('Usage')
    // The page refreshes itself after a few seconds.
    await page.getByRole('row', { name: /gpt-4o-mini \$0\.0\d* 1 0/ }).waitFor()
    await page.getByText('Cost per day').click()
    assert.match(
      String(await page.getByRole('region', { name: 'Cost per day' }).getByRole('row').last().textContent()),
      /\$0\.0/
    )
    const saving = page.waitForEvent('download')
    await button('Export CSV').click()
    assert.equal((await saving).suggestedFilename(), 'usage.csv')

    await go('Billing')
    await button('Choose Pro').click()
    await page.waitForURL(`${system.addresses.payments}/**`)
    await pay(page)
    // The address forgets the checkout once the plan is active.
    await page.waitForURL(/\/dashboard\/billing(\?success=1)?$/)
    await page.getByText('You are now on the Pro plan').waitFor()
    await page.getByText('Renews on').waitFor()
    await page.getByText('Next charge: $20.00.').waitFor()
    const pdf = await fetch(String(await page.getByRole('link', { name: /^PDF/ }).getAttribute('href')))
    assert.equal(pdf.status, 200)
    assert.match(await pdf.text(), /^%PDF/)

    await go('Keys')
    await button('Revoke My <b>first</b> key').click()
    await page.getByLabel('Type the label to confirm').fill('something else')
    await button('Revoke key').click()
    await page.getByText('This does not match the label of the key.').waitFor()
    await page.getByLabel('Type the label to confirm').fill('My <b>first</b> key')
    await page.getByLabel('Also end open requests').check()
    await button('Revoke key').click()
    await page.getByText('No active keys').waitFor()
    await page.getByLabel('Show revoked keys').check()
    await page.getByText('Revoked', { exact: true }).waitFor()

    await button('Create key').click()
    await page.getByRole('dialog').getByLabel('Label').fill('Tried at once')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const tried = String(await page.locator('[data-secret]').textContent())
    await page.getByRole('link', { name: 'Try it in the playground' }).click()
    await page.getByText(/You are using your key “.?Tried at once/).waitFor()
    assert.ok(!(await page.content()).includes(tried), 'the key is not in the HTML of the page')
    await page.getByRole('textbox', { name: 'Message' }).fill('Say 20 words.')
    await page.keyboard.press('Enter')
    await turns.last().getByText('First token').waitFor()
    const { keys } = (await (await page.request.get('/api/keys')).json()) as { keys: Array<{ id: string }> }
    assert.equal((await page.request.delete(`/api/keys/${keys[0]!.id}`)).status(), 200)
    await button('Retry').last().click()
    await page.getByText('The key has been revoked or rotated.').waitFor()
    await button('Continue without the key').click()
    await button('Retry').last().click()
    await turns.last().getByText('First token').waitFor()

    const stored = await page.evaluate('Object.entries(localStorage).concat(Object.entries(sessionStorage))')
    const names = (stored as Array<[string, string]>).map(([name]) => name)
    assert.deepEqual(names, ['playground'], 'only the conversation is stored')
    assert.doesNotMatch(JSON.stringify(stored), /tg_|eyJ/, 'without a key or a token')
    const cookies = await window.context.cookies(system.addresses.control)
    const session = cookies.find(({ name }) => name === 'svc_session')
    assert.partialDeepStrictEqual(session, { name: 'svc_session', httpOnly: true, sameSite: 'Lax' })
    await button('Sign out').click()
    await heading('Sign in')
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0, 'nothing stays stored')
    await page.goto('/dashboard/keys')
    await heading('Sign in')
    assert.deepEqual(complaints, [])
    assert.deepEqual(foreign, [])
  }
)
