import { createApiReference } from '@scalar/api-reference'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { applyBrand } from '../brand/brand.ts'
import { forCustomersOnly } from '../docs/list-pages.ts'
import { applyTheme, storedTheme, themeKey } from '../theme/theme.ts'
import { forCustomers } from './for-customers.ts'
import { type Documents, settingsFor } from './settings.ts'

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

// The viewer keeps its first theme. The address has the place where the reader is. The dashboard around this page stores the theme.
const reload = () => location.reload()
darkSystem.addEventListener('change', reload)
addEventListener('storage', ({ key }) => {
  if (key === themeKey) reload()
})
applyBrand()
applyTheme(storedTheme())
await start()
