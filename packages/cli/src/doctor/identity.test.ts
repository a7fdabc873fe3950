import assert from 'node:assert/strict'
import { test } from 'tap'
import { type IdentityFacts, judgeLinks } from './identity.ts'
import type { Outcome } from './network.ts'

const fragment = '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid&sb='
const redirect = (location: string): Outcome => ({
  answer: { status: 303, headers: { location: `${location}${fragment}` }, text: '', json: undefined, skewMs: 0 }
})
const limited: Outcome = { answer: { status: 429, headers: {}, text: '', json: undefined, skewMs: 0 } }
const settings = {
  url: 'https://x.supabase.co',
  publicUrl: 'https://app.example.com',
  wantedTarget: 'https://app.example.com/reset-password',
  providers: [],
  hasWebhookSecret: true
}

const cases: Array<[name: string, wanted: Outcome, site: Outcome, codes: string[]]> = [
  [
    'links lead to Tollgate',
    redirect('https://app.example.com/reset-password'),
    redirect('https://app.example.com'),
    []
  ],
  [
    'a slash after the site is no difference',
    redirect('https://app.example.com/reset-password'),
    redirect('https://app.example.com/'),
    []
  ],
  ['another site', redirect('http://localhost:3000'), redirect('http://localhost:3000'), ['identity_site_url']],
  [
    'a target that is not allowed',
    redirect('https://app.example.com/'),
    redirect('https://app.example.com'),
    ['identity_redirect_url']
  ],
  ['a rate limit tells nothing', limited, limited, []]
]

for (const [name, wantedLink, defaultLink, codes] of cases) {
  test(name, async () => {
    const facts = { wantedLink, defaultLink } as IdentityFacts
    assert.deepEqual(
      judgeLinks(facts, settings).map(({ code }) => code),
      codes
    )
  })
}
