import { AuthLayout } from '../../layout/auth-layout.tsx'
import { buttonLook } from '../../ui/button.tsx'

/** The page of an invitation that nobody can accept any more. */
export function UnusableInvitation() {
  return (
    <AuthLayout
      title="This invitation no longer works"
      description="It has been used, was withdrawn or has expired. If you already joined, open the dashboard. Otherwise ask the person who invited you for a new one."
    >
      <a href="/dashboard" className={buttonLook({ tone: 'primary' })}>
        Open the dashboard
      </a>
    </AuthLayout>
  )
}
