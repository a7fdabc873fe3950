import '../fonts/fonts.css'
import './site.css'
import { applyTheme, storedTheme } from '../brand/theme.ts'
import { keptKey } from '../layout/kept-texts.ts'
import { sessionChannel } from '../layout/tabs.ts'
import { offerCopies } from './copy-text.ts'
import { filterModels } from './models-table.ts'
import { offerSearch } from './offer-search.ts'
import { fillExamples } from './reader.ts'

/**
 * The script of the public pages. They work without it. It runs before the first paint, so that nobody sees another
 * theme than the one they chose in the dashboard.
 */
applyTheme(storedTheme())
openMailedLink()
// Somebody has signed in or out in another tab: the key in this one may be another person's.
sessionChannel.addEventListener('message', keptKey.forget)
document.addEventListener('DOMContentLoaded', () => {
  offerCopies()
  filterModels()
  offerSearch()
  fillExamples()
})

/**
 * Passes the link of a mail on to the sign-in page. The identity provider sends people to the root of the site if it
 * does not know the page that a mail named.
 */
function openMailedLink(): void {
  const { pathname, hash } = window.location
  const isMailed = /[#&](error|error_code|token_hash|access_token)=/.test(hash)
  if (pathname === '/' && isMailed) window.location.replace(`/login${hash}`)
}
