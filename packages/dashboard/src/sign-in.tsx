import './fonts/fonts.css'
import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ComponentType, StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { applyBrand } from './brand/brand.ts'
import { applyTheme, storedTheme } from './brand/theme.ts'
import { countOf } from './format/number.ts'
import { AuthLayout } from './layout/auth-layout.tsx'
import { forgetKeptTexts } from './layout/kept-texts.ts'
import { tellOtherTabs } from './layout/tabs.ts'
import { requestLogDays } from './page-facts.ts'
import { ConfirmPage } from './pages/auth/confirm-page.tsx'
import { LoginPage } from './pages/auth/login-page.tsx'
import { mailLink, pageOfLink, takeMailLink } from './pages/auth/mail-link.ts'
import { type SignInPath, signInPaths } from './pages/auth/paths.ts'
import { RegisterPage } from './pages/auth/register-page.tsx'
import { FirstPasswordPage, ForgotPasswordPage, ResetPasswordPage } from './pages/auth/reset-password-page.tsx'
import { buttonLook } from './ui/button.tsx'

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
forgetKeptTexts()

/**
 * The page of the mailed link, or the one of the address. The identity provider may have redirected to another page.
 */
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

/** Ends a sign-in that another tab asked for. The tab closes itself where the browser lets it. */
function SignedInPage() {
  useEffect(() => {
    tellOtherTabs()
    window.close()
  }, [])
  return (
    <AuthLayout title="You can go on" description="Close this tab and go back to the one that you came from.">
      <a href="/dashboard" className={buttonLook()}>
        Open the dashboard here
      </a>
    </AuthLayout>
  )
}

/** Shown after somebody deleted their account: what is gone, and what stays. */
function GoodbyePage() {
  return (
    <AuthLayout title="Your account is deleted" description="Thank you, and goodbye. You are signed out.">
      <section className="text-sm">
        <h2 className="font-semibold">What was deleted</h2>
        <ul className="mt-2 list-disc space-y-1.5 pl-5">
          <li>Your name, your e-mail address and your password.</li>
          <li>Your API keys: apps that use them get errors now.</li>
          <li>Your subscription, if you had one. Nothing more is charged.</li>
        </ul>
        <h2 className="mt-5 font-semibold">What stays for some time</h2>
        <ul className="mt-2 list-disc space-y-1.5 pl-5">
          <li>Records of your requests, without your name: {countOf(requestLogDays(), 'day')}.</li>
          <li>The log of changes: 400 days, unless the operator of this service chose another time.</li>
          <li>
            Monthly totals of usage, without your name, and your invoices: as long as the operator’s books need them.
          </li>
        </ul>
      </section>
      <a href="/register" className={`mt-7 ${buttonLook()}`}>
        Register again
      </a>
    </AuthLayout>
  )
}
