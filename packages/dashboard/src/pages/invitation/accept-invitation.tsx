import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, read } from '../../api/queries.ts'
import { brand } from '../../brand/brand.ts'
import { Form, readNothing } from '../../forms/form.tsx'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import {
  describeInviter,
  describeSubscription,
  type Invitation,
  nameInviter,
  noteJoined
} from './describe-invitation.ts'

interface AcceptInvitationProps {
  readonly token: string
  readonly invitation: Invitation
  /** The address of the signed-in user. */
  readonly email: string
  readonly notice: NoticeKind | null
  readonly onSignedOut: (why: NoticeKind) => Promise<void>
}

const isSeat = async (): Promise<boolean> => (await call('getAccount')).account.role === 'seat'

/** Explains what joining means and asks for confirmation. Offers to sign in with another account. */
export function AcceptInvitation({ token, invitation, email, notice, onSignedOut }: AcceptInvitationProps) {
  const router = useRouter()
  const [isRefused, setRefused] = useState(false)
  const obstacle = useSubscription(isRefused)
  const accept = async () => {
    setRefused(false)
    try {
      await call('acceptInvitation', { params: { token } })
    } catch (error) {
      if (isCode(error, 'not_authenticated')) return onSignedOut('session-ended')
      if (isCode(error, 'subscription_active')) return setRefused(true)
      // An earlier attempt may have joined the team, and its answer was lost.
      if (!isCode(error, 'invitation_invalid') || !(await isSeat())) throw error
    }
    // The invitation itself stays until this page is left: read again, it would be gone, and the page would say so.
    forgetOtherAccount()
    tellOtherTabs()
    noteJoined(nameInviter(invitation))
    // The invitation is used up, so going back must not open it again.
    await router.navigate({ to: '/dashboard/team', replace: true })
    queryClient.removeQueries({ queryKey: ['getInvitation'] })
  }
  const signOut = async () => {
    await call('signout')
    tellOtherTabs()
    await onSignedOut('signed-out')
  }
  return (
    <AuthLayout
      title={`Join the team of ${nameInviter(invitation)}?`}
      description={
        <>
          <p>
            {describeInviter(invitation)} invited you to their team at {brand.name}.
          </p>
          <p>You are signed in as {email}.</p>
        </>
      }
      footer={
        <Form read={readNothing} submit={signOut}>
          {(isBusy) => (
            <>
              <p>Was a different address invited?</p>
              <Button type="submit" size="small" isBusy={isBusy}>
                Sign in with another account
              </Button>
            </>
          )}
        </Form>
      }
    >
      <div className="mb-5 empty:hidden">
        {/* A signed-in user does not need the link of the e-mail. */}
        <Notice kind={notice === 'link-invalid' ? null : notice} />
      </div>
      <Consequences obstacle={obstacle} />
      <Form read={readNothing} submit={accept}>
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

/** What joining means. @param props.obstacle what to do before; null for nothing */
function Consequences({ obstacle }: { readonly obstacle: string | null }) {
  return (
    <>
      <ul className="mb-6 list-disc space-y-2 pl-5 text-sm">
        <li>You use the team’s plan, keys and budget. Other members see the usage of all keys.</li>
        <li>Keys of your own account stop working while you are in the team. They work again when you leave.</li>
        <li>You can leave at any time.</li>
      </ul>
      {obstacle !== null && (
        <div className="mb-6">
          <Banner tone="warning" title="Your account has a subscription" isAnnounced>
            {obstacle}{' '}
            <Link to="/dashboard/billing" className={textLink}>
              Open Billing
            </Link>
          </Banner>
        </div>
      )}
    </>
  )
}

/**
 * What to do about the signed-in user's own subscription before they join. In another team, the plan is that team's.
 */
function useSubscription(isRefused: boolean): string | null {
  const account = useQuery(read('getAccount'))
  const isOwn = account.data?.account.role === 'owner'
  const { data } = useQuery({ ...read('getPlan'), enabled: isOwn })
  return describeSubscription(isOwn ? data?.plan : undefined, isRefused)
}

/** What the page of an invitation shows. It reads both again itself. */
const ofInvitation: readonly unknown[] = ['getInvitation', 'getUser']

/** Drops what was loaded for another user of this browser, or for the account that the user had before. */
export function forgetOtherAccount(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !ofInvitation.includes(queryKey[0]) })
}

/** The event before the current step of an invitation. */
export type NoticeKind = 'password-set' | 'link-invalid' | 'address-confirmed' | 'session-ended' | 'signed-out'

const texts = {
  'password-set': { tone: 'success', title: 'Your password is set', text: undefined },
  'link-invalid': {
    tone: 'warning',
    title: 'The link in the e-mail was already used or has expired',
    text: 'The invitation may still be valid: sign in with your password. To choose one, use “Forgot your password?”.'
  },
  'address-confirmed': { tone: 'success', title: 'Your e-mail address is confirmed', text: undefined },
  'session-ended': { tone: 'info', title: 'You have been signed out', text: 'Sign in again to continue.' },
  'signed-out': { tone: 'info', title: 'You are signed out', text: undefined }
} as const

export function Notice({ kind }: { readonly kind: NoticeKind | null }) {
  if (kind === null) return null
  const { tone, title, text } = texts[kind]
  return (
    <Banner tone={tone} title={title} isAnnounced>
      {text}
    </Banner>
  )
}
