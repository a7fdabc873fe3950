import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'

/** Chromium without its windows takes half the CPU time. */
const program = findProgram(['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'])

/** Chromium's sandbox does not work for root. The tests open only our own pages. */
const always = ['--no-sandbox', '--disable-gpu']
/** Fewer processes take less time for tests. Speed is measured without. */
export const fewProcesses = ['--in-process-gpu', '--renderer-process-limit=2']

/** Starts the machine's browser. Without a browser it returns null. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser | null> {
  if (program === null) return null
  return chromium.launch({ executablePath: program, args: [...always, ...args] })
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Page errors and content security policy violations that the browser reported. */
  readonly complaints: string[]
  /** Requests to hosts other than control and the gateway, without navigations. */
  readonly foreign: string[]
}

/** Opens a separate browser window, signed in as `person` if given. */
export async function visit(
  browser: Browser,
  system: TestSystem,
  { person, ...options }: BrowserContextOptions & { person?: Person } = {}
): Promise<Visit> {
  const { control, gateway } = system.addresses
  // Pages that move nothing are drawn less often.
  const context = await browser.newContext({
    baseURL: control,
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options
  })
  if (person?.cookie != null) {
    const [name = '', value = ''] = person.cookie.split('=')
    await context.addCookies([{ name, value, url: control, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  // Generous, because other tests run at the same time.
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // Many tests provoke failed calls, and the browser logs each one.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    const isOfPage = !request.isNavigationRequest() && protocol.startsWith('http')
    if (isOfPage && origin !== control && origin !== gateway) foreign.push(request.url())
  })
  return { page, context, complaints, foreign }
}
