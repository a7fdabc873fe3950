import { cureFailure, describeFailure } from '../network/failure.ts'
import type { Answer, Outcome } from '../network/get.ts'
import { isLoopback } from '../network/hosts.ts'
import { type Finding, type Result, resultsOf } from '../results/result.ts'
import type { IdentitySettings } from './identity-settings.ts'
import { judgeLinks } from './judge-links.ts'
import type { IdentityFacts } from './read-identity.ts'

const { ok, error, warning } = resultsOf('Supabase')

const answerOf = (outcome: Outcome): Answer | null => ('answer' in outcome ? outcome.answer : null)

export function judgeIdentity(facts: IdentityFacts, settings: IdentitySettings): Result[] {
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

/** The gateway in front of Supabase Auth answers 401 to unknown keys, Supabase Auth itself 401 and 403 without admin rights. */
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
