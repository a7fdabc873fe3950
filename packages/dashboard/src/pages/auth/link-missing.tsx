import { SignInNotice } from './sign-in-notice.tsx'

/** Shown after a reload: the link is kept in memory only, so that nobody finds it in the history of the browser. */
export const LinkMissing = () => (
  <SignInNotice
    title="Open the link in your e-mail again"
    description="This page forgets the link when it is reloaded. If the link was already used, sign in."
  />
)
