import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'

/** Tells people who are signed in already, and leads them to the page that they wanted. */
export function SignedInBanner({ next = '/dashboard' }: { readonly next?: string | undefined }) {
  const [email, setEmail] = useState<string | null>(null)
  useEffect(() => {
    // Most visitors are not signed in, which is an error for the API.
    void call('getUser').then(
      ({ user }) => setEmail(user.email),
      () => {}
    )
  }, [])
  if (email === null) return null
  return (
    <div className="mb-5">
      <Banner title={`You are signed in as ${email}`} isAnnounced>
        <a href={next} className={textLink}>
          Open the dashboard
        </a>
      </Banner>
    </div>
  )
}
