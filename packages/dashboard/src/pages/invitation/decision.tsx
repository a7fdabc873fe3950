import { useRouter } from '@tanstack/react-router'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient } from '../../api/queries.ts'
import { Form } from '../../forms/form.tsx'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/other-tabs.ts'
import { Button } from '../../ui/button.tsx'
import { type Happened, Notice } from './notice.tsx'

type DecisionProps = {
  readonly token: string
  /** Of who is signed in. */
  readonly email: string
  readonly happened: Happened | null
  readonly onSignedOut: (why: Happened) => Promise<void>
}

/** What joining means, before it is done; and a way out for who is signed in as somebody else. */
export function Decision({ token, email, happened, onSignedOut }: DecisionProps) {
  const router = useRouter()
  const accept = async () => {
    try {
      await call('acceptInvitation', { params: { token } })
    } catch (error) {
      if (!isCode(error, 'not_authenticated')) throw error
      return onSignedOut('session-ended')
    }
    queryClient.clear()
    tellOtherTabs()
    // The invitation is used up: going back does not lead to it.
    await router.navigate({ to: '/dashboard/team', replace: true })
  }
  const signOut = async () => {
    await call('signout')
    tellOtherTabs()
    await onSignedOut('signed-out')
  }
  return (
    <AuthLayout
      title="Join the team?"
      description={<>You are signed in as {email}.</>}
      footer={
        <Form read={() => ({ ok: true, values: null })} submit={signOut}>
          {(isBusy) => (
            <>
              <p>Has another address of yours been invited?</p>
              <Button type="submit" size="small" isBusy={isBusy}>
                Sign in as somebody else
              </Button>
            </>
          )}
        </Form>
      }
    >
      <div className="mb-5 empty:hidden">
        {/* Who is signed in has no need of the mail's link. */}
        <Notice happened={happened === 'link-dead' ? null : happened} />
      </div>
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
