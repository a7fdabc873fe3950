import { Banner } from '../../ui/banner.tsx'

/** What has led to where somebody is on the way to a team. */
export type Happened = 'password-set' | 'link-dead' | 'address-confirmed' | 'session-ended' | 'signed-out'

const texts = {
  'password-set': { tone: 'success', title: 'Your password is set', text: undefined },
  'link-dead': {
    tone: 'warning',
    title: 'The link of the mail has been used already, or has expired',
    text: 'The invitation may still be good: sign in with the password that you have chosen. If you have none, ask for a link with which you choose one.'
  },
  'address-confirmed': { tone: 'success', title: 'Your e-mail address is confirmed', text: undefined },
  'session-ended': { tone: 'info', title: 'You have been signed out', text: 'Sign in again to go on.' },
  'signed-out': { tone: 'info', title: 'You are signed out now', text: undefined }
} as const

export function Notice({ happened }: { readonly happened: Happened | null }) {
  if (happened === null) return null
  const { tone, title, text } = texts[happened]
  return (
    <Banner tone={tone} title={title} isNews>
      {text}
    </Banner>
  )
}
