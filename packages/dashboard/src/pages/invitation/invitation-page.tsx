import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { queryClient, read } from '../../api/queries.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { LoadingPage } from '../../layout/loading-page.tsx'
import { Failure } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from '../auth/login-form.tsx'
import { forgetMailLink, mailLink } from '../auth/mail-link.ts'
import type { Credential, MailLink } from '../auth/read-mail-link.ts'
import { SetPasswordForm } from '../auth/set-password-form.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { Notice, type NoticeKind } from './notice.tsx'

const title = 'You have been invited to a team'

const credentialOf = (link: MailLink | null): Credential | null => (link?.kind === 'password' ? link.credential : null)

function noticeOf(link: MailLink | null): NoticeKind | null {
  if (link?.kind === 'invalid') return 'link-invalid'
  return link?.kind === 'address' ? 'address-confirmed' : null
}

/** The page that an invitation links to. New users first set a password. Then everyone signs in and accepts. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' })
  const [credential, setCredential] = useState(() => credentialOf(mailLink()))
  const [notice, setNotice] = useState(() => noticeOf(mailLink()))
  useEffect(() => {
    if (mailLink()?.kind !== 'password') forgetMailLink()
  }, [])
  const me = useQuery(read('getUser'))
  /** Shows a notice and reads the signed-in user again. */
  const startOver = async (why: NoticeKind) => {
    setNotice(why)
    await queryClient.resetQueries()
  }

  if (credential !== null) {
    return (
      <AuthLayout title={title} description="First choose a password to sign in with.">
        <SetPasswordForm
          credential={credential}
          onDone={async (outcome) => {
            await startOver(outcome === 'invalid' ? 'link-invalid' : 'password-set')
            setCredential(null)
          }}
        />
      </AuthLayout>
    )
  }
  if (me.data !== undefined) {
    return <AcceptInvitation token={token} email={me.data.user.email} notice={notice} onSignedOut={startOver} />
  }
  if (me.error !== null && !isCode(me.error, 'not_authenticated')) {
    return (
      <AuthLayout title={title}>
        <Failure error={me.error} onRetry={() => void me.refetch()} isRetrying={me.isFetching} />
      </AuthLayout>
    )
  }
  // Which form is shown, and so its height, depends on the answer.
  if (me.isPending) return <LoadingPage />
  return (
    <AuthLayout
      title={title}
      description="Sign in with the invited address to continue."
      footer={
        <>
          No account yet?{' '}
          <a href="/register" className={textLink}>
            Create one with that address
          </a>
          , then open the invitation again.
        </>
      }
    >
      <div className="space-y-5">
        <Notice kind={notice} />
        <LoginForm
          onSignedIn={async () => {
            // A different user may have been signed in before.
            queryClient.clear()
            setNotice(null)
            await me.refetch()
          }}
        />
      </div>
    </AuthLayout>
  )
}
