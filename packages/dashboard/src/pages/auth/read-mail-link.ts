/** What a password can be set with, once. */
export type Credential = { readonly token_hash: string } | { readonly access_token: string }

/** What an address can be confirmed with, together with its password. */
export type Confirmation =
  | { readonly token_hash: string; readonly type: 'signup' | 'email' }
  | { readonly access_token: string }

/**
 * What the link of a mail brought in the fragment of the address: our own templates put a token there, the identity
 * provider's stock templates a session, and a link that does not work any more an error.
 */
export type MailLink =
  | { readonly kind: 'password'; readonly credential: Credential }
  | { readonly kind: 'confirm'; readonly confirmation: Confirmation }
  /** The provider has changed an address already. The session that it brought is good for nothing here, and not kept. */
  | { readonly kind: 'address' }
  | { readonly kind: 'dead' }

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
 * @returns null for a fragment that comes from no mail
 */
export function readMailLink(fragment: string): MailLink | null {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''))
  if (parameters.has('error') || parameters.has('error_code')) return { kind: 'dead' }
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
  // A token alone has changed nothing yet, and there is no page for it.
  return kind === 'address' && tokenHash === '' ? { kind } : { kind: 'dead' }
}

/** The page that a link is for; null if any page may say what became of it. */
export function pageOfLink(link: MailLink | null): '/reset-password' | '/confirm' | null {
  if (link?.kind === 'password') return '/reset-password'
  return link?.kind === 'confirm' ? '/confirm' : null
}
