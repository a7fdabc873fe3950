import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { hasSession } from '../../page-facts.ts'
import { Banner } from '../../ui/banner.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'

interface SignInNoticeProps {
  readonly title: string
  readonly description: string
}

/** A page that explains the state of a mailed link, and links to sign-in. */
export function SignInNotice({ title, description }: SignInNoticeProps) {
  return (
    <AuthLayout
      title={title}
      description={description}
      footer={
        <a href="/forgot-password" className={textLink}>
          Forgot your password?
        </a>
      }
    >
      <SignedInBanner />
      <a href="/login" className={buttonLook({ tone: 'primary' })}>
        Go to sign-in
      </a>
    </AuthLayout>
  )
}

/** Shown after a reload: the link is kept in memory only, so that nobody finds it in the history of the browser. */
export const LinkMissing = () => (
  <SignInNotice
    title="Open the link in your e-mail again"
    description="This page forgets the link when it is reloaded. If the link was already used, sign in."
  />
)

/** Tells people who are signed in already, and leads them to the page that they wanted. */
export function SignedInBanner({ next = '/dashboard' }: { readonly next?: string | undefined }) {
  const [email, setEmail] = useState<string | null>(null)
  useEffect(() => {
    // Asking without a session is an error, which the browser's console shows.
    if (!hasSession) return
    void call('getUser').then(
      ({ user }) => setEmail(user.email),
      () => {}
    )
  }, [])
  if (email === null) return null
  return (
    <div className="mb-5">
      <Banner title={`You are signed in as ${email}`} isAnnounced>
        <a href={next} className={textLink}>
          Open the dashboard
        </a>
      </Banner>
    </div>
  )
}
