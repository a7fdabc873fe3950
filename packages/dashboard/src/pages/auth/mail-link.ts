let taken: MailLink | null = null
let fragment = ''

/**
 * Reads the token of a mailed link and removes it from the address first of all. The token must not reach the history
 * or a bookmark; it stays in memory only.
 */
export function takeMailLink(): void {
  const { hash, pathname, search } = window.location
  taken = readMailLink(hash)
  fragment = taken === null ? '' : hash
  if (taken !== null) window.history.replaceState(null, '', pathname + search)
  // Opening another link to the same page changes only the fragment, so the page does not reload by itself.
  window.addEventListener('hashchange', () => {
    if (readMailLink(window.location.hash) !== null) window.location.reload()
  })
}

/** The mailed link that opened this page; null if none did. */
export const mailLink = (): MailLink | null => taken

/** The link as it was in the address, for another page; empty without one. */
export const mailFragment = (): string => fragment

/** Call this once the link is used: it works only once. */
export function forgetMailLink(): void {
  taken = null
  fragment = ''
}

/** A one-time credential that sets a password. */
export type Credential = { readonly token_hash: string } | { readonly access_token: string }

/** A one-time credential that confirms an address, together with its password. */
export type Confirmation =
  | { readonly token_hash: string; readonly type: 'signup' | 'email' }
  | { readonly access_token: string }

/**
 * The content of a mailed link, read from the fragment of the address. Our templates put a token there, the identity
 * provider's stock templates a session. An invalid link has an error.
 */
export type MailLink =
  | { readonly kind: 'password'; readonly credential: Credential }
  | { readonly kind: 'confirm'; readonly confirmation: Confirmation }
  /** The provider has already changed the address. The session in the link is not used, and dropped. */
  | { readonly kind: 'address' }
  | { readonly kind: 'invalid' }

const kinds: Readonly<Record<string, 'password' | 'confirm' | 'address'>> = {
  recovery: 'password',
  invite: 'password',
  signup: 'confirm',
  magiclink: 'confirm',
  email: 'confirm',
  email_change: 'address'
}

/**
 * @param fragment with or without its #
 * @returns null if the fragment is not from a mailed link
 */
export function readMailLink(fragment: string): MailLink | null {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''))
  if (parameters.has('error') || parameters.has('error_code')) return { kind: 'invalid' }
  const tokenHash = parameters.get('token_hash') ?? ''
  const accessToken = parameters.get('access_token') ?? ''
  if (tokenHash === '' && accessToken === '') return null
  const type = parameters.get('type') ?? 'recovery'
  const kind = kinds[type]
  if (kind === 'password') {
    return { kind, credential: tokenHash === '' ? { access_token: accessToken } : { token_hash: tokenHash } }
  }
  if (kind === 'confirm') {
    if (tokenHash === '') return { kind, confirmation: { access_token: accessToken } }
    if (type === 'signup' || type === 'email') return { kind, confirmation: { token_hash: tokenHash, type } }
  }
  // An address change with a token is not done yet, and no page completes it.
  return kind === 'address' && tokenHash === '' ? { kind } : { kind: 'invalid' }
}

/** The page that uses a link; null if every page can show its outcome. */
export function pageOfLink(link: MailLink | null): '/reset-password' | '/confirm' | null {
  if (link?.kind === 'password') return '/reset-password'
  return link?.kind === 'confirm' ? '/confirm' : null
}
