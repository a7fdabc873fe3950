import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { queryClient, read } from '../../api/queries.ts'
import { brand } from '../../brand/brand.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { LoadingPage } from '../../layout/loading-page.tsx'
import { OwnerName } from '../../layout/owner.tsx'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { QueryView } from '../../ui/states.tsx'
import { LoginForm } from '../auth/login-form.tsx'
import { type Credential, forgetMailLink, type MailLink, mailLink } from '../auth/mail-link.ts'
import { type Outcome, SetPasswordForm } from '../auth/set-password-form.tsx'
import { AcceptInvitation, forgetOtherAccount, Notice, type NoticeKind } from './accept-invitation.tsx'
import { describeInviter, type Invitation, nameInviter } from './describe-invitation.ts'

const credentialOf = (link: MailLink | null): Credential | null => (link?.kind === 'password' ? link.credential : null)

function noticeOf(link: MailLink | null): NoticeKind | null {
  if (link?.kind === 'invalid') return 'link-invalid'
  return link?.kind === 'address' ? 'address-confirmed' : null
}

const notices: Readonly<Record<Outcome, NoticeKind>> = {
  'signed-in': 'password-set',
  set: 'password-set',
  pending: 'password-set',
  invalid: 'link-invalid'
}

/**
 * The page that an invitation links to. New users choose a password, which signs them in. Then everyone decides whether
 * to join.
 */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' })
  const [credential, setCredential] = useState(() => credentialOf(mailLink()))
  const [notice, setNotice] = useState(() => noticeOf(mailLink()))
  useEffect(() => {
    if (mailLink()?.kind !== 'password') forgetMailLink()
  }, [])
  const me = useQuery(read('getUser'))
  // Accepting uses the invitation up. A refetch after that must not replace the page that reports the outcome.
  const open = useQuery({ ...read('getInvitation', { params: { token } }), staleTime: Number.POSITIVE_INFINITY })
  // The form to sign in stays while the user is read again: it keeps what was typed.
  const [isSignedOut, setSignedOut] = useState(false)
  const isOut = me.data === undefined && (isSignedOut || isCode(me.error, 'not_authenticated'))
  if (isOut !== isSignedOut) setSignedOut(isOut)
  /** Shows a notice and reads the signed-in user again. */
  const startOver = async (why: NoticeKind) => {
    setNotice(why)
    setSignedOut(false)
    await queryClient.resetQueries({ queryKey: ['getUser'] })
  }

  if (open.data === undefined) {
    if (isCode(open.error, 'invitation_invalid')) return <UnusableInvitation />
    if (open.errorUpdateCount === 0) return <LoadingPage />
    return (
      <AuthLayout title="You have been invited to a team">
        <QueryView query={open}>{() => null}</QueryView>
      </AuthLayout>
    )
  }
  const { invitation } = open.data
  if (credential !== null) {
    return (
      <ChoosePassword
        invitation={invitation}
        credential={credential}
        onDone={async (outcome) => {
          await startOver(notices[outcome])
          setCredential(null)
        }}
      />
    )
  }
  if (me.data !== undefined) {
    return (
      <AcceptInvitation
        token={token}
        invitation={invitation}
        email={me.data.user.email}
        notice={notice}
        onSignedOut={startOver}
      />
    )
  }
  if (isSignedOut) {
    return (
      <SignIn
        invitation={invitation}
        notice={notice}
        onSignedIn={async () => {
          setNotice(null)
          await me.refetch()
        }}
      />
    )
  }
  // Which form is shown, and so its height, depends on the answer.
  if (me.errorUpdateCount === 0) return <LoadingPage />
  return (
    <AuthLayout title={titleOf(invitation)}>
      <QueryView query={me}>{() => null}</QueryView>
    </AuthLayout>
  )
}

const titleOf = (invitation: Invitation): string => `${nameInviter(invitation)} invited you to a team`
const introductionOf = (invitation: Invitation): string =>
  `${describeInviter(invitation)} invited you to their team at ${brand.name}.`

interface ChoosePasswordProps {
  readonly invitation: Invitation
  readonly credential: Credential
  readonly onDone: (outcome: Outcome) => Promise<void>
}

function ChoosePassword({ invitation, credential, onDone }: ChoosePasswordProps) {
  return (
    <AuthLayout title={titleOf(invitation)} description={`${introductionOf(invitation)} First choose a password.`}>
      <SetPasswordForm
        credential={credential}
        signsIn
        onDone={async (outcome) => {
          if (outcome !== 'invalid') {
            forgetOtherAccount()
            tellOtherTabs()
          }
          await onDone(outcome)
        }}
      />
    </AuthLayout>
  )
}

interface SignInProps {
  readonly invitation: Invitation
  readonly notice: NoticeKind | null
  readonly onSignedIn: () => Promise<void>
}

function SignIn({ invitation, notice, onSignedIn }: SignInProps) {
  return (
    <AuthLayout
      title={titleOf(invitation)}
      description={`${introductionOf(invitation)} Sign in with the invited address to join.`}
      footer={
        <>
          No account yet? Use the link in the e-mail that we sent you, or{' '}
          <a href="/register" className={textLink}>
            create an account with that address
          </a>{' '}
          and open the invitation again.
        </>
      }
    >
      <div className="space-y-5">
        <Notice kind={notice} />
        <LoginForm
          onSignedIn={async () => {
            forgetOtherAccount()
            await onSignedIn()
          }}
        />
      </div>
    </AuthLayout>
  )
}

/** The page of an invitation that nobody can accept any more. Members of a team read that they have joined it. */
function UnusableInvitation() {
  // Without a session there is no account to read.
  const account = useQuery(read('getAccount'))
  if (account.isPending && account.errorUpdateCount === 0) return <LoadingPage />
  const isMember = account.data?.account.role === 'seat'
  return (
    <AuthLayout
      title={isMember ? 'You have joined a team' : 'This invitation no longer works'}
      description={
        isMember ? (
          <>
            You are in the team of <OwnerName />. An invitation works only once.
          </>
        ) : (
          'It has been used, was withdrawn or has expired. If you already joined, open the dashboard. Otherwise ask the person who invited you for a new one.'
        )
      }
    >
      <a href={isMember ? '/dashboard/team' : '/dashboard'} className={buttonLook({ tone: 'primary' })}>
        {isMember ? 'Open the team' : 'Open the dashboard'}
      </a>
    </AuthLayout>
  )
}
