import type { Outcome } from '../network/get.ts'
import { isSameUrl } from '../network/hosts.ts'
import { type Finding, resultsOf } from '../results/result.ts'
import type { IdentitySettings } from './identity-settings.ts'
import type { IdentityFacts } from './read-identity.ts'

const { error } = resultsOf('Supabase')

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
