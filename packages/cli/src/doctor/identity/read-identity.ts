import { type GetOptions, get, type Outcome } from '../network/get.ts'

export interface IdentityFacts {
  /** `GET /health` and `GET /settings` with the publishable key. */
  readonly health: Outcome
  readonly settings: Outcome
  /** `GET /admin/users` with the secret key, and with the publishable key, which must be refused. */
  readonly adminWithSecretKey: Outcome
  readonly adminWithPublishableKey: Outcome
  /** Where links in mails lead: `GET /verify` with a token that does not exist redirects there. */
  readonly wantedLink: Outcome
  readonly defaultLink: Outcome
}

export interface IdentityAccess {
  readonly url: string
  readonly anonKey: string
  readonly serviceRoleKey: string
}

/** A target that no project allows, so that the answer shows the project's own. */
const foreignTarget = 'https://tollgate-doctor.invalid/'

/**
 * Asks the identity provider. No request changes anything there, and none sends a mail.
 *
 * @param wantedTarget where links of recovery mails have to lead
 */
export async function readIdentity(
  { url, anonKey, serviceRoleKey }: IdentityAccess,
  wantedTarget: string,
  timeoutMs: number
): Promise<IdentityFacts> {
  const ask = (path: string, key: string | null): Promise<Outcome> => {
    const headers = { ...(key !== null && { apikey: key, authorization: `Bearer ${key}` }) }
    const options: GetOptions = { headers, timeoutMs }
    return get(new URL(`${url}/auth/v1${path}`), options)
  }
  const users = '/admin/users?page=1&per_page=1'
  const verify = (target: string) =>
    ask(`/verify?${new URLSearchParams({ token: 'tollgate-doctor', type: 'recovery', redirect_to: target })}`, null)
  const [health, settings, adminWithSecretKey, adminWithPublishableKey, wantedLink, defaultLink] = await Promise.all([
    ask('/health', anonKey),
    ask('/settings', anonKey),
    ask(users, serviceRoleKey),
    ask(users, anonKey),
    verify(wantedTarget),
    verify(foreignTarget)
  ])
  return { health, settings, adminWithSecretKey, adminWithPublishableKey, wantedLink, defaultLink }
}
