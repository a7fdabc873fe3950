/**
 * What the link of a mail brought in the fragment of the address: our own templates put a token there, the identity
 * provider's stock templates a session, and a link that does not work any more an error.
 */
export type MailLink = {
  /** What the mail was about; a link that failed does not say. */
  readonly purpose: 'password' | 'address' | 'unknown'
  /** What a password can be set with; null for a link that does not work. */
  readonly credential: { readonly token_hash: string } | { readonly access_token: string } | null
}

const purposes: Readonly<Record<string, MailLink['purpose']>> = {
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
  if (parameters.has('error') || parameters.has('error_code')) return { purpose: 'unknown', credential: null }
  const tokenHash = parameters.get('token_hash')
  const accessToken = parameters.get('access_token')
  // Control leads to the page for passwords with nothing but the token.
  const purpose = purposes[parameters.get('type') ?? 'recovery'] ?? 'unknown'
  if (tokenHash !== null && tokenHash !== '') return { purpose, credential: { token_hash: tokenHash } }
  if (accessToken !== null && accessToken !== '') return { purpose, credential: { access_token: accessToken } }
  return null
}
