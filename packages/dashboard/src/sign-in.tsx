import './fonts/fonts.css'
import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ComponentType, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyBrand } from './brand/brand.ts'
import { forgetKeptChat } from './layout/kept-chat.ts'
import { ConfirmPage } from './pages/auth/confirm-page.tsx'
import { ForgotPasswordPage } from './pages/auth/forgot-password-page.tsx'
import { GoodbyePage } from './pages/auth/goodbye-page.tsx'
import { LoginPage } from './pages/auth/login-page.tsx'
import { mailLink, takeMailLink } from './pages/auth/mail-link.ts'
import { type SignInPath, signInPaths } from './pages/auth/paths.ts'
import { pageOfLink } from './pages/auth/read-mail-link.ts'
import { RegisterPage } from './pages/auth/register-page.tsx'
import { FirstPasswordPage, ResetPasswordPage } from './pages/auth/reset-password-page.tsx'
import { SignedInPage } from './pages/auth/signed-in-page.tsx'
import { applyTheme, storedTheme } from './theme/theme.ts'

/** The pages of people who are not signed in: an app of its own, because they need little of the dashboard's code. */
const pages: Record<SignInPath, ComponentType> = {
  '/login': LoginPage,
  '/register': RegisterPage,
  '/forgot-password': ForgotPasswordPage,
  '/confirm': ConfirmPage,
  '/reset-password': ResetPasswordPage,
  '/accept-invitation': FirstPasswordPage,
  '/goodbye': GoodbyePage,
  '/signed-in': SignedInPage
}

applyTheme(storedTheme())
applyBrand()
takeMailLink()
// Another tab, or the end of the session, may have signed this one out.
forgetKeptChat()

/** The page of the mailed link, or the one of the address. The identity provider may have redirected to another page. */
function choosePage(): ComponentType {
  const { pathname } = window.location
  const here = signInPaths.find((path) => path === pathname.replace(/\/$/, '')) ?? '/login'
  // Invitations of the operator set a password too, with their own words.
  const ofLink = here === '/accept-invitation' ? null : pageOfLink(mailLink())
  if (ofLink !== null && ofLink !== here) window.history.replaceState(null, '', ofLink)
  return pages[ofLink ?? here]
}

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
const Page = choosePage()
createRoot(root).render(
  <StrictMode>
    {/* The content security policy refuses inline styles. */}
    <CSPProvider disableStyleElements>
      <Page />
    </CSPProvider>
  </StrictMode>
)
