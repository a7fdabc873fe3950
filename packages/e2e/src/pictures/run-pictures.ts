import { demoUser } from '@tollgate/cli/start/demo.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { launchBrowser } from '../dashboard/browser.ts'

/**
 * `npm run pictures`: takes the pictures of the README from a system that runs, with the data of `npm run demo-data`.
 */
const baseURL = process.env.PUBLIC_URL || 'http://localhost:3000'
/** What visitors see. */
const landing = { name: 'landing', path: '/', height: 900 } as const
const pictures = [
  { name: 'overview', path: '/dashboard', height: 1010 },
  { name: 'usage', path: '/dashboard/usage', height: 1000 }
] as const

const browser = await launchBrowser()
if (browser === null) throw new Error('Install Chromium first.')
try {
  const context = await browser.newContext({ baseURL, locale: 'en-US', colorScheme: 'light' })
  const page = await context.newPage()
  await take(landing)
  const { email, password } = demoUser
  const login = await context.request.post('/api/auth/login', { data: { email, password } })
  if (!login.ok()) throw new Error(`The demo user cannot sign in: ${await login.text()}`)
  for (const picture of pictures) await take(picture)

  async function take({ name, path, height }: { name: string; path: string; height: number }): Promise<void> {
    await page.setViewportSize({ width: 1440, height })
    await page.goto(path, { waitUntil: 'networkidle' })
    await page.getByText('Loading…').first().waitFor({ state: 'detached' })
    await page.screenshot({ path: workspaceFile(`docs/pictures/${name}.png`), animations: 'disabled' })
  }
} finally {
  await browser.close()
}
