import { AuthLayout } from '../../layout/auth-layout.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { SignedInBanner } from './signed-in-banner.tsx'

interface SignInNoticeProps {
  readonly title: string
  readonly description: string
}

/** A page that explains the state of a mailed link, and links to sign-in. */
export function SignInNotice({ title, description }: SignInNoticeProps) {
  return (
    <AuthLayout
      title={title}
      description={description}
      footer={
        <a href="/forgot-password" className={textLink}>
          Forgot your password?
        </a>
      }
    >
      <SignedInBanner />
      <a href="/login" className={buttonLook({ tone: 'primary' })}>
        Go to sign-in
      </a>
    </AuthLayout>
  )
}
