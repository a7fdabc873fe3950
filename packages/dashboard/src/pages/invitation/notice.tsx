import { Banner } from '../../ui/banner.tsx'

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
