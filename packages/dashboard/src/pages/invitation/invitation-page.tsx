import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { queryClient, read } from '../../api/queries.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from '../auth/login-form.tsx'
import { forgetMailLink, mailLink } from '../auth/mail-link.ts'
import type { Credential, MailLink } from '../auth/read-mail-link.ts'
import { SetPasswordForm } from '../auth/set-password-form.tsx'
import { Decision } from './decision.tsx'
import { type Happened, Notice } from './notice.tsx'

const title = 'You have been invited to a team'

const credentialOf = (link: MailLink | null): Credential | null => (link?.kind === 'password' ? link.credential : null)

function sayOf(link: MailLink | null): Happened | null {
  if (link?.kind === 'dead') return 'link-dead'
  return link?.kind === 'address' ? 'address-confirmed' : null
}

/** Where an invitation leads: first a password for who has none, then signing in, then the decision. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' })
  const [credential, setCredential] = useState(() => credentialOf(mailLink()))
  const [happened, setHappened] = useState(() => sayOf(mailLink()))
  useEffect(() => {
    if (mailLink()?.kind !== 'password') forgetMailLink()
  }, [])
  const me = useQuery(read('getUser'))
  /** Asks again who is signed in. */
  const startOver = async (why: Happened) => {
    setHappened(why)
    await queryClient.resetQueries()
  }

  if (credential !== null) {
    return (
      <AuthLayout title={title} description="Choose a password first; you sign in with it from now on.">
        <SetPasswordForm
          credential={credential}
          onDone={async (outcome) => {
            await startOver(outcome === 'dead' ? 'link-dead' : 'password-set')
            setCredential(null)
          }}
        />
      </AuthLayout>
    )
  }
  if (me.data !== undefined) {
    return <Decision token={token} email={me.data.user.email} happened={happened} onSignedOut={startOver} />
  }
  if (me.error !== null && !isCode(me.error, 'not_authenticated')) {
    return (
      <AuthLayout title={title}>
        <Failure error={me.error} onRetry={() => void me.refetch()} isRetrying={me.isFetching} />
      </AuthLayout>
    )
  }
  if (me.isPending) {
    return (
      <AuthLayout title={title}>
        <Loading />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title={title}
      description="Sign in with the address that was invited to go on."
      footer={
        <>
          No account yet?{' '}
          <Link to="/register" className={textLink}>
            Create one with that address
          </Link>
          , and then open the invitation again.
        </>
      }
    >
      <div className="space-y-5">
        <Notice happened={happened} />
        <LoginForm
          onSignedIn={async () => {
            setHappened(null)
            await me.refetch()
          }}
        />
      </div>
    </AuthLayout>
  )
}
