import { createApiReference, type Settings } from '@scalar/api-reference'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { applyBrand } from '../brand/brand.ts'
import { applyTheme, storedTheme, themeKey } from '../brand/theme.ts'
import { forCustomersOnly } from '../docs/list-pages.ts'
import { forCustomers } from './for-customers.ts'

/** The documents of both services, as the reference shows them. */
interface Documents {
  readonly gateway: OpenApiDocument
  readonly account: OpenApiDocument
}

/** The viewer's own greys, greens and reds have less contrast than WCAG 2 asks for (AA). */
const colors = `
.light-mode { --scalar-color-3: #6b6b6b; --scalar-color-green: #00734a; --scalar-color-red: #c50000; --scalar-color-orange: #a64200; --scalar-color-yellow: #735a00; }
.dark-mode { --scalar-color-3: #969696; --scalar-color-red: #ff6f66; }
.light-mode, .dark-mode { --scalar-color-accent: var(--brand); }
`

/** Settings of the viewer: it shows the documents, and neither sends requests nor talks to its maker's services. */
const settingsFor = ({ gateway, account }: Documents, isDark: boolean): Settings => ({
  sources: [
    { title: 'Models: the gateway', slug: 'gateway', content: gateway, default: true },
    { title: 'Your account', slug: 'account', content: account }
  ],
  forceDarkModeState: isDark ? 'dark' : 'light',
  hideDarkModeToggle: true,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideTestRequestButton: true,
  showDeveloperTools: 'never',
  customCss: colors,
  documentDownloadType: 'json'
})

/** Milliseconds until a document that could not be read is asked for again. */
const retryAfterMs = 5000

const place = document.getElementById('reference')
if (place === null) throw new Error('the page has no place for the reference')
const darkSystem = matchMedia('(prefers-color-scheme: dark)')
const isDark = (): boolean => {
  const theme = storedTheme()
  return theme === 'system' ? darkSystem.matches : theme === 'dark'
}

async function readDocument(path: string): Promise<OpenApiDocument> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()) as OpenApiDocument
}

async function readDocuments(): Promise<Documents> {
  const [gateway, account] = await Promise.all(['/api/docs/gateway.json', '/api/openapi.json'].map(readDocument))
  const isForCustomers = location.search === forCustomersOnly
  return { gateway: gateway!, account: isForCustomers ? forCustomers(account!) : account! }
}

async function start(): Promise<void> {
  try {
    createApiReference(place!, settingsFor(await readDocuments(), isDark()))
  } catch (error) {
    console.warn(error)
    place!.textContent = 'The API reference could not be loaded. This page tries again on its own.'
    setTimeout(start, retryAfterMs)
  }
}

// The viewer keeps its first theme. The address has the place where the reader is. The dashboard around this page
// stores the theme.
const reload = () => location.reload()
darkSystem.addEventListener('change', reload)
addEventListener('storage', ({ key }) => {
  if (key === themeKey) reload()
})
applyBrand()
applyTheme(storedTheme())
await start()
