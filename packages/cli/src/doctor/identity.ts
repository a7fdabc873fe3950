import {
  type Answer,
  cureFailure,
  describeFailure,
  type GetOptions,
  get,
  isLoopback,
  isSameUrl,
  type Outcome
} from './network.ts'
import { type Checked, type Finding, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

/** A target that no project allows, so that the answer shows the project's own. */
const foreignTarget = 'https://tollgate-doctor.invalid/'

const { ok, error, warning } = resultsOf('Supabase')
const answerOf = (outcome: Outcome): Answer | null => ('answer' in outcome ? outcome.answer : null)

export async function checkIdentity({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const names = ['SUPABASE_URL', 'SUPABASE_ANON_KEY', 'SUPABASE_SERVICE_ROLE_KEY', 'PUBLIC_URL']
  const invalid = names.filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) return skip('Supabase', ...invalid)
  const { identity, publicUrl } = control
  const wantedTarget = `${publicUrl}/reset-password`
  const facts = await readIdentity(identity, wantedTarget, timeoutMs)
  const { url, webhookSecrets, providers } = identity
  const { health } = facts
  const skewMs = 'answer' in health ? health.answer.skewMs : null
  return {
    results: judgeIdentity(facts, {
      url,
      publicUrl,
      wantedTarget,
      providers,
      hasWebhookSecret: webhookSecrets.length > 0
    }),
    clock: skewMs === null ? null : { name: 'Supabase', skewMs }
  }
}

interface IdentitySettings {
  /** SUPABASE_URL */
  readonly url: string
  readonly publicUrl: string
  /** Where links of recovery mails have to lead. */
  readonly wantedTarget: string
  /** AUTH_PROVIDERS */
  readonly providers: readonly string[]
  readonly hasWebhookSecret: boolean
}

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

interface IdentityAccess {
  readonly url: string
  readonly anonKey: string
  readonly serviceRoleKey: string
}

/**
 * Asks the identity provider. No request changes anything there, and none sends a mail.
 *
 * @param wantedTarget where links of recovery mails have to lead
 */
async function readIdentity(
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

function judgeIdentity(facts: IdentityFacts, settings: IdentitySettings): Result[] {
  const { health } = facts
  const always = [...judgeEncryption(settings), ...judgeWebhook(settings)]
  if ('failure' in health) {
    return [
      error('identity_unreachable', {
        what: describeFailure('Supabase (SUPABASE_URL)', health.failure),
        why: 'Nobody can sign in or register.',
        fix: cureFailure('SUPABASE_URL', health.failure)
      }),
      ...always
    ]
  }
  const keys = judgeKeys(facts)
  if (keys.length > 0) return [...keys, ...always]
  const { answer } = health
  const { name, version } = (answer.json ?? {}) as { name?: unknown; version?: unknown }
  if (answer.status !== 200 || name !== 'GoTrue') {
    return [
      error('identity_foreign', {
        what: `The server at SUPABASE_URL does not answer as Supabase Auth does (status ${answer.status} at /auth/v1/health).`,
        why: 'Nobody can sign in or register.',
        fix: 'Copy the address from Supabase: Project Settings → Data API → Project URL. It has no path.'
      }),
      ...always
    ]
  }
  return [
    ok(`Supabase Auth ${String(version)}. Both keys are accepted.`),
    ...judgeSignUp(facts.settings),
    ...judgeProviders(facts.settings, settings.providers),
    ...judgeLinks(facts, settings),
    ...always
  ]
}

/**
 * The gateway in front of Supabase Auth answers 401 to unknown keys, Supabase Auth itself 401 and 403 without admin
 * rights.
 */
function judgeKeys({ health, adminWithSecretKey, adminWithPublishableKey }: IdentityFacts): Finding[] {
  const isRefused = (outcome: Outcome) => [401, 403].includes(answerOf(outcome)?.status ?? 0)
  const secret = answerOf(adminWithSecretKey)
  if (answerOf(adminWithPublishableKey)?.status === 200) {
    return [
      error('identity_anon_key_is_secret', {
        what: 'SUPABASE_ANON_KEY has admin rights: it is a secret key.',
        why: 'Control uses this key for requests of visitors, who must not have admin rights.',
        fix: 'Set SUPABASE_ANON_KEY to the publishable key (or anon key). Perhaps the two keys are swapped.'
      })
    ]
  }
  const findings: Finding[] = []
  if (isRefused(health)) {
    findings.push(
      error('identity_anon_key_refused', {
        what: 'Supabase refuses SUPABASE_ANON_KEY.',
        why: 'Nobody can sign in or register.',
        fix: 'Copy it from Supabase: Project Settings → API Keys → publishable key (or anon key), of the project of SUPABASE_URL.'
      })
    )
  }
  if (secret !== null && secret.status !== 200 && (isRefused(adminWithSecretKey) || answerOf(health)?.status === 200)) {
    const isAdmin = secret.status !== 403
    findings.push(
      error(isAdmin ? 'identity_secret_key_refused' : 'identity_secret_key_without_rights', {
        what: isAdmin
          ? `Supabase refuses SUPABASE_SERVICE_ROLE_KEY (status ${secret.status}).`
          : 'SUPABASE_SERVICE_ROLE_KEY has no admin rights: it is a publishable key.',
        why: 'Control cannot write plans, delete users, or notice bans.',
        fix: 'Copy it from Supabase: Project Settings → API Keys → secret key (or service_role key), of the project of SUPABASE_URL.'
      })
    )
  }
  return findings
}

function judgeSignUp(outcome: Outcome): Finding[] {
  const json = answerOf(outcome)?.json
  if (typeof json !== 'object' || json === null) return []
  const settings = json as { disable_signup?: unknown; mailer_autoconfirm?: unknown; external?: { email?: unknown } }
  const page = 'Supabase: Authentication → Sign In / Providers'
  const findings: Finding[] = []
  if (settings.external?.email === false) {
    findings.push(
      error('identity_email_off', {
        what: 'Signing in with e-mail and password is off in Supabase.',
        why: 'Nobody can sign in or register.',
        fix: `${page} → Email: turn it on.`
      })
    )
  }
  if (settings.disable_signup === true) {
    findings.push(
      warning('identity_signup_off', {
        what: 'Supabase allows no new users.',
        why: 'Registration fails for everybody. Users whom you create can sign in.',
        fix: `${page}: turn on "Allow new users to sign up", unless you want this.`
      })
    )
  }
  if (settings.mailer_autoconfirm === true) {
    findings.push(
      error('identity_autoconfirm', {
        what: 'Supabase confirms every address without a mail.',
        why: 'Users sign in without a proof that the address is theirs.',
        fix: `${page} → Email: turn on "Confirm email".`
      })
    )
  }
  return findings
}

function judgeProviders(outcome: Outcome, providers: readonly string[]): Finding[] {
  const json = answerOf(outcome)?.json
  if (typeof json !== 'object' || json === null) return []
  const { external = {} } = json as { external?: Record<string, unknown> }
  return providers
    .filter((provider) => external[provider] !== true)
    .map((provider) =>
      error('identity_provider_off', {
        what: `Signing in with ${provider} is off in Supabase, but AUTH_PROVIDERS names it.`,
        why: 'Its button on the sign-in page leads to an error.',
        fix: `Supabase: Authentication → Sign In / Providers → turn ${provider} on, as in deploy/supabase/README.md; or remove it from AUTH_PROVIDERS.`
      })
    )
}

function judgeEncryption({ url }: IdentitySettings): Finding[] {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopback(hostname)) return []
  return [
    warning('identity_without_tls', {
      what: 'SUPABASE_URL begins with http://.',
      why: 'Others in the network can read passwords and the secret key.',
      fix: 'Use the https:// address of the project.'
    })
  ]
}

function judgeWebhook({ hasWebhookSecret }: IdentitySettings): Finding[] {
  if (hasWebhookSecret) return []
  return [
    warning('identity_webhook_secret', {
      what: 'IDENTITY_WEBHOOK_SECRET is not set.',
      why: 'Bans, and plans set by hand in Supabase, can take 10 minutes or more instead of 5 seconds.',
      fix: 'Create a secret with `openssl rand -base64 32`, and follow "Changes in force within 5 seconds" in deploy/supabase/README.md.'
    })
  ]
}

/** Compares where links of mails lead with where they have to lead. */
export function judgeLinks(facts: IdentityFacts, { publicUrl, wantedTarget }: IdentitySettings): Finding[] {
  const page = 'Supabase: Authentication → URL Configuration'
  const site = targetOf(facts.defaultLink)
  if (site !== null && !isSameUrl(new URL(site).origin, publicUrl)) {
    return [
      error('identity_site_url', {
        what: `Links in mails lead to ${new URL(site).origin}: that is the Site URL of the project.`,
        why: 'People who confirm an address, or choose a new password, do not arrive at Tollgate.',
        fix: `${page} → Site URL: ${publicUrl}`
      })
    ]
  }
  const target = targetOf(facts.wantedLink)
  if (target === null || isSameUrl(target, wantedTarget)) return []
  return [
    error('identity_redirect_url', {
      what: `Links of recovery mails lead to ${target} instead of ${wantedTarget}.`,
      why: 'People who forgot their password cannot choose a new one with the default mails of Supabase.',
      fix: `${page} → Redirect URLs: add ${publicUrl}/**`
    })
  ]
}

/** The redirect's target without the error that is its fragment. */
function targetOf(outcome: Outcome): string | null {
  const location = 'answer' in outcome ? outcome.answer.headers.location : undefined
  const url = location === undefined ? null : URL.parse(location)
  if (url === null) return null
  url.hash = ''
  for (const name of ['error', 'error_code', 'error_description', 'sb']) url.searchParams.delete(name)
  return url.href
}
