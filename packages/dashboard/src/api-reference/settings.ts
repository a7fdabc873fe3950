import type { Settings } from '@scalar/api-reference'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'

/** The documents of both services, as the reference shows them. */
export interface Documents {
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
export const settingsFor = ({ gateway, account }: Documents, isDark: boolean): Settings => ({
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
