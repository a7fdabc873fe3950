import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'

const program = findProgram(['chromium', 'chromium-browser', 'google-chrome'])

type BrowserTest = Parameters<typeof need>[0] & { teardown(handler: () => Promise<void>): void }

/** The browser of the machine, closed at the end of the test; null where there is none, which the test then says. */
export async function startBrowser(t: BrowserTest): Promise<Browser | null> {
  if (!need(t, 'Chromium', program)) return null
  const browser = await launchBrowser()
  if (browser !== null) t.teardown(() => browser.close())
  return browser
}

/** The browser of the machine; null where there is none. */
export async function launchBrowser(): Promise<Browser | null> {
  if (program === null) return null
  // Root may not use Chromium's sandbox; nothing but our own pages is opened.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained of: errors of the page, and what its policy refused. */
  readonly complaints: string[]
  /** What a page asked of hosts that are neither control nor the gateway; going to another page is not asking. */
  readonly foreign: string[]
}

/** A browser window of somebody's own, signed in if a person is given who is. */
export async function visit(
  browser: Browser,
  system: TestSystem,
  { person, ...options }: BrowserContextOptions & { person?: Person } = {}
): Promise<Visit> {
  const { control, gateway } = system.addresses
  const context = await browser.newContext({ baseURL: control, locale: 'en-US', ...options })
  if (person?.cookie != null) {
    const [name = '', value = ''] = person.cookie.split('=')
    await context.addCookies([{ name, value, url: control, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  // Tests run beside others: what takes long is not wrong yet.
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // A refused call is part of many tests, and the browser writes it down each time.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    const isOfPage = !request.isNavigationRequest() && protocol.startsWith('http')
    if (isOfPage && origin !== control && origin !== gateway) foreign.push(request.url())
  })
  return { page, context, complaints, foreign }
}
