import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from './login-form.tsx'
import { forgetMailLink, mailLink } from './mail-link.ts'
import { nextPath } from './next-path.ts'

export function LoginPage() {
  const { error, ended, next } = useSearch({ from: '/login' })
  const router = useRouter()
  const [link] = useState(mailLink)
  // What it brought people here for has been said then.
  useEffect(() => forgetMailLink, [])
  const isChanged = link?.kind === 'address'
  const isDeadLink = error !== undefined || link?.kind === 'dead'
  return (
    <AuthLayout
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <Link to="/register" className={textLink}>
            Create an account
          </Link>
        </>
      }
    >
      <div className="space-y-5">
        {isChanged && (
          <Banner tone="success" title="The change of your e-mail address is confirmed">
            You can sign in now.
          </Banner>
        )}
        {isDeadLink && (
          <Banner tone="warning" title="This link does not work">
            It has been used already or has expired. If your address is confirmed, just sign in; otherwise sign in to
            get another mail.
          </Banner>
        )}
        {ended !== undefined && !isChanged && !isDeadLink && (
          <Banner title="You have been signed out">Sign in again to go on where you were.</Banner>
        )}
        <LoginForm onSignedIn={() => router.history.push(nextPath(next))} />
      </div>
    </AuthLayout>
  )
}
