import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { LoadingPage } from '../../layout/loading-page.tsx'
import { OwnerName } from '../../layout/owner.tsx'
import { buttonLook } from '../../ui/button.tsx'

/** The page of an invitation that nobody can accept any more. Members of a team read that they have joined it. */
export function UnusableInvitation() {
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
