import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { mailLink } from './mail-link.ts'
import { SetPasswordForm } from './set-password-form.tsx'

/** Where mails lead that let somebody choose a password: one that was forgotten, or the first one of an invited person. */
export function ResetPasswordPage() {
  const [credential] = useState(() => mailLink()?.credential ?? null)
  const [isSet, setSet] = useState(false)
  const router = useRouter()
  if (isSet) {
    return (
      <AuthLayout title="Sign in">
        <div className="space-y-5">
          <Banner tone="success" title="Your new password is set" isNews>
            Everybody who was signed in with the old one has been signed out.
          </Banner>
          <LoginForm onSignedIn={() => router.history.push('/dashboard')} />
        </div>
      </AuthLayout>
    )
  }
  if (credential === null) {
    return (
      <AuthLayout
        title="This link does not work"
        description="It has been used already, has expired, or lost its end on the way. Ask for another one."
        footer={
          <Link to="/login" className={textLink}>
            Back to sign-in
          </Link>
        }
      >
        <Link to="/forgot-password" className={buttonLook({ tone: 'primary' })}>
          Ask for a new link
        </Link>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout title="Choose a new password" description="You sign in with it from now on.">
      <SetPasswordForm credential={credential} onDone={() => setSet(true)} />
    </AuthLayout>
  )
}
