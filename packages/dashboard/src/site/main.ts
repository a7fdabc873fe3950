import '../fonts/fonts.css'
import './site.css'
import { applyTheme, storedTheme } from '../brand/theme.ts'
import { offerCopies } from './copy-text.ts'
import { openMailedLink } from './mailed-link.ts'
import { filterModels } from './models-table.ts'
import { searchDocs } from './search-docs.ts'

/**
 * The script of the public pages. They work without it. It runs before the first paint, so that nobody sees another
 * theme than the one they chose in the dashboard.
 */
applyTheme(storedTheme())
openMailedLink()
document.addEventListener('DOMContentLoaded', () => {
  offerCopies()
  filterModels()
  searchDocs()
})
