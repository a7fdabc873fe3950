import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, read } from '../../api/queries.ts'
import { Form } from '../../forms/form.tsx'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { LoginForm } from '../auth/login-form.tsx'
import { mailLink } from '../auth/mail-link.ts'
import { SetPasswordForm } from '../auth/set-password-form.tsx'

/** Where an invitation leads: first a password for who has none, then signing in, then the decision. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' })
  const [credential] = useState(() => mailLink()?.credential ?? null)
  const [isSet, setSet] = useState(false)
  const me = useQuery(read('getUser'))

  if (credential !== null && !isSet) {
    return (
      <AuthLayout
        title="You have been invited to a team"
        description="Choose a password first; you sign in with it from now on."
      >
        <SetPasswordForm credential={credential} onDone={() => setSet(true)} />
      </AuthLayout>
    )
  }
  if (me.data !== undefined) return <Decision token={token} email={me.data.user.email} />
  if (me.error !== null && !isCode(me.error, 'not_authenticated')) {
    return <Failure error={me.error} onRetry={() => void me.refetch()} isRetrying={me.isFetching} />
  }
  if (me.isPending) return <Loading />
  return (
    <AuthLayout
      title="You have been invited to a team"
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
        {isSet && <Banner tone="success" title="Your password is set" isNews />}
        <LoginForm onSignedIn={async () => void (await me.refetch())} />
      </div>
    </AuthLayout>
  )
}

function Decision({ token, email }: { readonly token: string; readonly email: string }) {
  const router = useRouter()
  const accept = async () => {
    await call('acceptInvitation', { params: { token } })
    queryClient.clear()
    await router.navigate({ to: '/dashboard/team' })
  }
  return (
    <AuthLayout title="Join the team?" description={<>You are signed in as {email}.</>}>
      <ul className="mb-6 list-disc space-y-2 pl-5 text-sm">
        <li>You use the team’s plan, keys and budget, and others of the team see what you use.</li>
        <li>
          Keys of your own account stop working for as long as you are in the team. They come back when you leave.
        </li>
        <li>You can leave at any time.</li>
      </ul>
      <Form read={() => ({ ok: true, values: null })} submit={accept}>
        {(isBusy) => (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" tone="primary" isBusy={isBusy}>
              Join the team
            </Button>
            <Button onClick={() => void router.navigate({ to: '/dashboard' })}>Not now</Button>
          </div>
        )}
      </Form>
    </AuthLayout>
  )
}
