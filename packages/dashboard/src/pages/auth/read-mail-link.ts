/** What a password can be set with, once. */
export type Credential = { readonly token_hash: string } | { readonly access_token: string }

/**
 * What the link of a mail brought in the fragment of the address: our own templates put a token there, the identity
 * provider's stock templates a session, and a link that does not work any more an error.
 */
export type MailLink =
  | { readonly kind: 'password'; readonly credential: Credential }
  /** The provider has confirmed an address already. The session that it brought is good for nothing here, and not kept. */
  | { readonly kind: 'address' }
  | { readonly kind: 'dead' }

const kinds: Readonly<Record<string, 'password' | 'address'>> = {
  recovery: 'password',
  invite: 'password',
  signup: 'address',
  magiclink: 'address',
  email: 'address',
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
  // Control leads to the page for passwords with nothing but the token.
  const kind = kinds[parameters.get('type') ?? 'recovery']
  if (kind === 'password') {
    return { kind, credential: tokenHash === '' ? { access_token: accessToken } : { token_hash: tokenHash } }
  }
  // A token alone has confirmed nothing yet, and such links lead to control.
  return kind === 'address' && tokenHash === '' ? { kind } : { kind: 'dead' }
}
